import * as THREE from 'three'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import type { Text } from '../language'

/** 파일을 읽다 생기는 문제를 알리는 말 */
export const problems = {
  notModel: {
    ko: '3D 모델로 읽을 수 없는 파일이에요. GLB, glTF, VRM 파일을 골라 주세요.',
    en: 'This cannot be read as a 3D model. Please choose a GLB, glTF or VRM file.',
  },
  broken: {
    ko: '파일이 잘렸거나 깨졌어요. 다시 내려받거나 내보낸 뒤 열어 주세요.',
    en: 'The file is cut short or damaged. Please export or download it again.',
  },
  missing: {
    ko: '이 glTF 가 쓰는 다른 파일(.bin, 그림)이 없어요. 함께 골라서 한 번에 놓아 주세요.',
    en: 'This glTF needs further files (.bin, pictures). Please drop them together with it.',
  },
  compressed: {
    ko: 'Draco 나 KTX2 로 압축한 모델은 여기서 못 열어요. 압축을 끄고 내보내 주세요.',
    en: 'Models compressed with Draco or KTX2 cannot be opened here. Please export it without.',
  },
  noMesh: { ko: '파일에 보이는 모양이 없어요.', en: 'There is nothing to be seen in this file.' },
} satisfies Record<string, Text>

/** 말로 알려 줄 수 있는 문제 */
export class ModelProblem extends Error {
  constructor(readonly words: Text) {
    super(words.en)
  }
}

/** 사용자가 고른 파일들을 읽는다. glTF 라면 .bin 과 그림을 함께 고를 수 있다. 바깥으로는 아무것도 주고받지 않는다. */
export async function readModel(files: readonly File[]): Promise<GLTF> {
  const main = files.find(({ name }) => /\.(glb|gltf|vrm)$/i.test(name))
  if (!main) throw new ModelProblem(problems.notModel)
  const urls = new Map<string, string>()
  let missing = false
  const manager = new THREE.LoadingManager()
  manager.setURLModifier((url) => {
    if (/^(data|blob):/.test(url)) return url
    const name = decodeURIComponent(url.split(/[\\/]/).pop()!.split(/[?#]/)[0]!)
    const file = files.find((candidate) => candidate.name === name)
    if (!file) {
      missing = true
      return 'data:,'
    }
    if (!urls.has(name)) urls.set(name, URL.createObjectURL(file))
    return urls.get(name)!
  })
  try {
    const gltf = await loader(manager).parseAsync(await main.arrayBuffer(), '')
    if (missing) {
      disposeModel(gltf.scene)
      throw new ModelProblem(problems.missing)
    }
    return gltf
  } catch (error) {
    throw missing ? new ModelProblem(problems.missing) : problem(error)
  } finally {
    for (const url of urls.values()) URL.revokeObjectURL(url)
  }
}

/** 함께 실린 파일을 읽는다. */
export async function readURL(url: string): Promise<GLTF> {
  return loader().loadAsync(url)
}

function loader(manager?: THREE.LoadingManager): GLTFLoader {
  return new GLTFLoader(manager).setMeshoptDecoder(MeshoptDecoder)
}

/** 어떤 오류든 알릴 수 있는 말로 바꾼다. */
function problem(error: unknown): ModelProblem {
  if (error instanceof ModelProblem) return error
  const message = String(error)
  if (/DRACOLoader|KTX2Loader|draco|basisu/i.test(message)) return new ModelProblem(problems.compressed)
  if (/JSON|Unsupported asset|legacy binary/i.test(message)) return new ModelProblem(problems.notModel)
  return new ModelProblem(problems.broken)
}

/** 모델이 쓰던 그래픽 자원을 모두 놓아준다. */
export function disposeModel(root: THREE.Object3D): void {
  root.traverse((object) => {
    const { geometry, material, skeleton } = object as Partial<THREE.SkinnedMesh>
    geometry?.dispose()
    skeleton?.dispose()
    for (const one of material ? [material].flat() : []) {
      for (const value of Object.values(one)) {
        if (!(value instanceof THREE.Texture)) continue
        const image: unknown = value.source.data
        if (typeof ImageBitmap !== 'undefined' && image instanceof ImageBitmap) image.close()
        value.dispose()
      }
      one.dispose()
    }
  })
  root.removeFromParent()
}
