import * as THREE from 'three'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { wording } from './wording'
import type { Text } from '../../shared/language'

/** 말로 알려 줄 수 있는 문제 */
export class ModelProblem extends Error {
  constructor(readonly words: Text) {
    super(words.en)
  }
}

/** 견본: RobotExpressive (Tomás Laulhé, Don McCurdy 고침, CC0 1.0). ▶ 다른 모델을 기본으로 하려면 여기를 바꾼다. */
export const SAMPLE = new URL('../models/RobotExpressive.glb', import.meta.url).href

/** 사용자가 고른 파일들을 읽는다. glTF 라면 .bin 과 그림을 함께 고를 수 있다. 바깥으로는 아무것도 주고받지 않는다. */
export async function readModel(files: readonly File[]): Promise<GLTF> {
  const main = files.find(({ name }) => /\.(glb|gltf|vrm)$/i.test(name))
  if (!main) throw new ModelProblem(wording.notModel)
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
      throw new ModelProblem(wording.missing)
    }
    return gltf
  } catch (error) {
    throw missing ? new ModelProblem(wording.missing) : problem(error)
  } finally {
    for (const url of urls.values()) URL.revokeObjectURL(url)
  }
}

export async function readSample(): Promise<GLTF> {
  return loader().loadAsync(SAMPLE)
}

function loader(manager?: THREE.LoadingManager): GLTFLoader {
  return new GLTFLoader(manager).setMeshoptDecoder(MeshoptDecoder)
}

function problem(error: unknown): ModelProblem {
  if (error instanceof ModelProblem) return error
  const message = String(error)
  if (/DRACOLoader|KTX2Loader|draco|basisu/i.test(message)) return new ModelProblem(wording.compressed)
  if (/JSON|Unsupported asset|legacy binary/i.test(message)) return new ModelProblem(wording.notModel)
  return new ModelProblem(wording.broken)
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
