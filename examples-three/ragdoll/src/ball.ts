import * as THREE from 'three'

export const BALL_RADIUS = 0.27
/** 맞은 뒤 튕겨 나가는 속도(m/s) */
const REBOUND = new THREE.Vector3(-1.5, 2.6, 1.0)
const STRIPES = ['#ff5d6c', '#fff4e6', '#ffc94d', '#fff4e6', '#4fb7e8', '#fff4e6']

/** 줄무늬 비치볼: 포물선으로 날아와 맞고, 튕겨서 굴러 나간다. ▶ 진짜 공 모델이 있으면 이 메시만 바꾼다. */
export class Ball {
  readonly mesh: THREE.Mesh
  #velocity = new THREE.Vector3()
  #spin = new THREE.Vector3(0, 0, -8)
  #flying = 0
  #turn = new THREE.Quaternion()
  #edge: number

  /** edge: 무대의 반지름(m). 그 밖에서는 떨어진다. */
  constructor(edge: number) {
    this.#edge = edge
    const material = new THREE.MeshPhysicalMaterial({
      vertexColors: true,
      roughness: 0.32,
      clearcoat: 0.7,
      clearcoatRoughness: 0.25,
    })
    this.mesh = new THREE.Mesh(stripedSphere(), material)
    this.mesh.castShadow = this.mesh.receiveShadow = true
    this.mesh.visible = false
  }

  get flying(): boolean {
    return this.#flying > 0
  }

  /** from 에서 던져 seconds 초 뒤 at 에 닿게 한다. */
  throw(from: THREE.Vector3, at: THREE.Vector3, seconds: number): void {
    this.mesh.position.copy(from)
    this.#velocity.subVectors(at, from).divideScalar(seconds)
    this.#velocity.y += 4.9 * seconds
    this.mesh.rotation.set(0.5, 0, 0.3)
    this.#spin.set(1.5, 2, -9)
    this.#flying = seconds
    this.mesh.visible = true
  }

  /** 닿았다: 왔던 쪽으로 튕긴다. */
  bounce(power: number): void {
    this.#flying = 0
    this.#velocity.copy(REBOUND).multiplyScalar(0.75 + power * 0.08)
    this.#spin.set(-2, 1, 5)
  }

  hide(): void {
    this.mesh.visible = false
    this.#flying = 0
  }

  /** 닿는 순간이면 참 */
  advance(dt: number): boolean {
    const { mesh } = this
    if (!mesh.visible) return false
    const before = this.#flying
    const { position } = mesh
    this.#velocity.y -= 9.8 * dt
    position.addScaledVector(this.#velocity, dt)
    const off = Math.hypot(position.x, position.z) > this.#edge
    if (!before && !off && position.y < BALL_RADIUS) {
      position.y = BALL_RADIUS
      const fall = -this.#velocity.y
      this.#velocity.y = fall > 0.5 ? fall * 0.6 : 0
      this.#velocity.x *= 0.92
      this.#velocity.z *= 0.92
      this.#spin.set(this.#velocity.z / BALL_RADIUS, 0, -this.#velocity.x / BALL_RADIUS)
    }
    if (position.y < -3) mesh.visible = false
    mesh.quaternion.premultiply(this.#turn.setFromAxisAngle(this.#spin.clone().normalize(), this.#spin.length() * dt))
    if (!before) return false
    this.#flying = Math.max(0, before - dt)
    return this.#flying === 0
  }

  dispose(): void {
    this.mesh.geometry.dispose()
    ;(this.mesh.material as THREE.Material).dispose()
    this.mesh.removeFromParent()
  }
}

/** 세로줄 여섯과 위아래의 흰 동그라미 */
function stripedSphere(): THREE.BufferGeometry {
  const geometry = new THREE.SphereGeometry(BALL_RADIUS, 48, 32).toNonIndexed()
  const { position } = geometry.attributes
  const count = position!.count
  const colours = new Float32Array(count * 3)
  const colour = new THREE.Color()
  const middle = new THREE.Vector3()
  const tints = STRIPES.map((stripe) => new THREE.Color(stripe))
  for (let k = 0; k < count; k += 3) {
    middle.set(0, 0, 0)
    for (let c = 0; c < 3; c++)
      middle.add(new THREE.Vector3(position!.getX(k + c), position!.getY(k + c), position!.getZ(k + c)))
    middle.divideScalar(3 * BALL_RADIUS)
    const turn = Math.atan2(middle.z, middle.x) / (Math.PI * 2) + 0.5
    if (Math.abs(middle.y) > 0.955) colour.set('#fff4e6')
    else colour.copy(tints[Math.floor(turn * STRIPES.length) % STRIPES.length]!)
    for (let c = 0; c < 3; c++) colour.toArray(colours, (k + c) * 3)
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3))
  geometry.rotateX(0.5)
  return geometry
}
