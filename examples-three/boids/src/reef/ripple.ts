import * as THREE from 'three'
import type { Water } from './water'
import { approach } from '../../../shared/random'

/** 포인터가 가리키는 곳의 은은한 빛과 퍼지는 물결. 카메라를 본다. */
export class Ripple {
  readonly mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>
  #strength = 0

  constructor(water: Water, radius: number) {
    const material = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      toneMapped: false,
      blending: THREE.AdditiveBlending,
      uniforms: { strength: { value: 0 } },
      vertexShader: `
        varying vec2 vAt;
        void main() { vAt = uv * 2.0 - 1.0; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
      fragmentShader: `
        uniform float waterTime; uniform float strength; varying vec2 vAt;
        void main() {
          float out_ = length(vAt);
          float fall = max(1.0 - out_, 0.0);
          float ring = pow(0.5 + 0.5 * sin(out_ * 26.0 - waterTime * 6.0), 6.0) * smoothstep(0.05, 0.3, out_);
          float glow = fall * fall * fall;
          gl_FragColor = vec4(vec3(0.75, 1.0, 0.96) * (glow * 0.34 + ring * fall * 0.28) * strength, 1.0);
        }`,
    })
    material.uniforms.waterTime = water.uniforms.waterTime
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(radius * 2.6, radius * 2.6), material)
    this.mesh.renderOrder = 4
  }

  advance(shown: boolean, at: THREE.Vector3, camera: THREE.Camera, dt: number): void {
    this.#strength = approach(this.#strength, shown ? 1 : 0, shown ? 9 : 4, dt)
    this.mesh.visible = this.#strength > 0.01
    this.mesh.material.uniforms.strength!.value = this.#strength
    if (shown) this.mesh.position.copy(at)
    this.mesh.quaternion.copy(camera.quaternion)
  }
}
