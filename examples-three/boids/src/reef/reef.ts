import * as THREE from 'three'
import type { Backend, Boids } from 'limber'
import { bed } from './ground'
import { ReefBed } from './reef-bed'
import { Ripple } from './ripple'
import { School, type Room } from './school'
import { sea } from './sea'
import { reefSettings } from './settings'
import { Shark } from './shark'
import { Water } from './water'
import { Stage } from '../../../shared/stage'

/** 지금 벌어지는 일: 떼를 지어 다님, 상어를 피해 갈라짐, 포인터를 피함 */
export type ReefPhase = 'school' | 'fleeing' | 'avoiding'

/** 포인터를 피하는 거리(m) */
const POINTER_RADIUS = 1.1
/** 가운데 높이(m) */
const MIDDLE = 3.1
/** 이보다 많이 쫓기면 갈라지는 것으로 본다: 전체의 몇 분의 몇 */
const CHASED = 0.025

/** 밝은 열대 산호초와 물고기 떼: 3D 탭 하나. */
export class Reef {
  #stage: Stage
  #limber: Backend
  #water = new Water()
  #bed: ReefBed
  #school: School
  #shark: Shark
  #ripple: Ripple
  #room: Room
  #time = 0
  #swung = 0
  #listening = new AbortController()
  #ray = new THREE.Raycaster()
  #pointed = new THREE.Vector2()
  #pointing = false
  #seen = new THREE.Plane()
  #spot = new THREE.Vector3()
  #look = new THREE.Vector3()
  /** 포인터의 빛줄기, 그리고 카메라 */
  #repellers

  constructor(container: HTMLElement, limber: Backend, portrait: boolean) {
    this.#limber = limber
    const stage = (this.#stage = new Stage(container, {
      sky: [
        [-1, '#0f4f97'],
        [1, '#54d4e8'],
      ],
      fog: { colour: '#1673bd', near: 8, far: 60 },
      exposure: 1,
      toneMapping: THREE.NeutralToneMapping,
      environment: 0,
      fov: 40,
      subject: {
        width: portrait ? 4.8 : 11.5,
        height: 7.6,
        centre: new THREE.Vector3(0, MIDDLE, 0),
      },
      view: { azimuth: 0, elevation: -0.07 },
      limits: { elevation: [-0.13, 0.3], zoom: [0.62, 1.12] },
    }))
    stage.controls.minAzimuthAngle = -0.75
    stage.controls.maxAzimuthAngle = 0.75
    this.#water.uniforms.clarity.value = stage.camera.position.distanceTo(stage.controls.target) * 2

    const sky = new THREE.HemisphereLight('#fbfff4', '#c9bba8', 2.35)
    const sun = new THREE.DirectionalLight('#fff0d0', 2.3)
    sun.position.set(-2.4, 6, 3)
    const spread = portrait ? 0.6 : 1
    this.#bed = new ReefBed(this.#water, spread)
    this.#shark = new Shark(this.#water)
    this.#ripple = new Ripple(this.#water, POINTER_RADIUS)
    stage.scene.add(sky, sun, this.#bed.group, sea(this.#water, spread), this.#shark.group, this.#ripple.mesh)

    this.#room = portrait
      ? { min: [-2.5, 0.3, -6.5], max: [2.5, 6.8, 3.6] }
      : { min: [-5.5, 0.3, -6.5], max: [5.5, 6.5, 4] }
    this.#repellers = [
      {
        position: this.#ray.ray.origin,
        direction: this.#ray.ray.direction,
        radius: POINTER_RADIUS,
        weight: 0.12,
        enabled: false,
      },
      { object: stage.camera, radius: 2.4, weight: 0.08 },
    ]
    this.#school = this.#fill()
    // 그리기는 밖에서 부른다. 여기서는 느릴 때 해상도를 낮추는 일만 한다
    stage.run(
      () => {},
      () => container.hidden === true,
    )
    this.#listen()
    this.apply()
  }

  /** 마릿수를 바꾸면 새로 만든다. */
  get boids(): Boids {
    return this.#school.boids
  }

  get phase(): ReefPhase {
    if (this.#repellers[0]!.enabled) return 'avoiding'
    return reefSettings.shark && this.#school.chased > reefSettings.count * CHASED ? 'fleeing' : 'school'
  }

  /** reefSettings 를 바꾼 뒤에 부른다. */
  apply(): void {
    if (this.boids.stats.boids !== reefSettings.count + 1) {
      this.#school.dispose()
      this.#school = this.#fill()
    }
    this.#school.hunted = reefSettings.shark
  }

  #fill(): School {
    const school = new School(
      this.#limber,
      this.#water,
      reefSettings.count,
      this.#room,
      this.#bed.obstacles,
      this.#repellers,
    )
    this.#stage.scene.add(school.group)
    this.#shark.jump()
    return school
  }

  advance(dt: number): void {
    const { camera, controls } = this.#stage
    this.#time += dt
    this.#water.uniforms.waterTime.value = this.#time
    // 물살에 떠밀리듯 천천히 돈다
    const swing = Math.sin(this.#time * 0.13) * 0.09
    this.#stage.swing(swing - this.#swung)
    this.#swung = swing
    camera.updateMatrixWorld()
    const pointing = this.#pointing && reefSettings.pointer
    this.#repellers[0]!.enabled = pointing
    if (pointing) this.#point(camera, controls.target)
    this.#school.advance(dt)
    this.#shark.advance(this.#school.shark, reefSettings.shark, dt)
    this.#ripple.advance(pointing, this.#spot, camera, dt)
  }

  render(): void {
    this.#stage.render()
  }

  /** 포인터가 가리키는 곳: 가운데 깊이에서, 모래보다 위 */
  #point(camera: THREE.PerspectiveCamera, target: THREE.Vector3): void {
    const { ray } = this.#ray
    this.#ray.setFromCamera(this.#pointed, camera)
    this.#seen.setFromNormalAndCoplanarPoint(camera.getWorldDirection(this.#look), target)
    if (!ray.intersectPlane(this.#seen, this.#spot)) return
    const low = bed(this.#spot.x, this.#spot.z) + 0.35
    if (this.#spot.y < low && ray.direction.y < 0) ray.at((low - ray.origin.y) / ray.direction.y, this.#spot)
  }

  #listen(): void {
    const canvas = this.#stage.renderer.domElement
    const { signal } = this.#listening
    const follow = (event: PointerEvent): void => {
      const { left, top, width, height } = canvas.getBoundingClientRect()
      this.#pointed.set(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2)
      this.#pointing = true
    }
    const leave = (event: PointerEvent): void => {
      if (event.type !== 'pointerup' || event.pointerType !== 'mouse') this.#pointing = false
    }
    canvas.addEventListener('pointermove', follow, { signal })
    canvas.addEventListener('pointerdown', follow, { signal })
    for (const type of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
      canvas.addEventListener(type, leave, { signal })
    }
  }

  dispose(): void {
    this.#listening.abort()
    this.#school.dispose()
    const { renderer, scene, controls } = this.#stage
    renderer.setAnimationLoop(null)
    controls.dispose()
    scene.traverse((thing) => {
      if (!(thing instanceof THREE.Mesh || thing instanceof THREE.Points)) return
      thing.geometry.dispose()
      const material = thing.material as THREE.Material & { map?: THREE.Texture | null }
      material.map?.dispose()
      material.dispose()
    })
    scene.environment?.dispose()
    this.#water.dispose()
    renderer.dispose()
    renderer.domElement.remove()
  }
}
