import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'

/** 굽기가 쓴 보고서 가운데 화면에 보이는 것 */
export interface Report {
  frames: number
  targets: number
  /** 가장 큰 오차(m) */
  maxError: number
  /** 되풀이의 이음매: 끝과 처음의 거리(m) */
  seam: { distance: number; jump: number } | null
}

/** 구운 파일 하나: 주소, 크기, 보고서 */
export interface BakedFile {
  url: string
  bytes: number
  report: Report
}

// 아직 굽지 않았으면 빈 목록이다
const urls = import.meta.glob<string>(['../baked/*.glb', '../baked/*.vat'], {
  query: '?url',
  import: 'default',
  eager: true,
})
/** limber bake 가 쓴 일감의 목록 */
interface Listing {
  jobs: { id: string; file: string; bytes: number; report: Report }[]
}
const listings = import.meta.glob<Listing>('../baked/manifest.json', {
  import: 'default',
  eager: true,
})

/** 이름이 id 인 일감의 파일. 아직 굽지 않았으면 undefined. */
export function bakedFile(id: string): BakedFile | undefined {
  for (const { file, bytes, report, id: own } of Object.values(listings).flatMap(({ jobs }) => jobs)) {
    const url = urls[`../baked/${file}`]
    if (own === id && url) return { url, bytes, report }
  }
  return undefined
}

/** meshopt 로 눌러 담은 GLB 도 읽는다: 풀개 하나만 쥐여 주면 된다. */
export function loadGLB(url: string): Promise<GLTF> {
  return new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).loadAsync(url)
}

/** 칩에 쓸 크기(KiB) */
export const kib = (file: BakedFile | undefined): string =>
  file ? Math.round(file.bytes / 1024).toLocaleString('en') : '–'
/** 칩에 쓸 길이(mm) */
export const mm = (metres: number | undefined): string => (metres === undefined ? '–' : (metres * 1000).toFixed(1))
