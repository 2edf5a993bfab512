import * as THREE from 'three'
import { language, type Text } from '../../shared/language'

/** 왼쪽 위 칩이 차지하는 높이(px): 이름표는 그 아래에 둔다. */
const CHIPS = 76

/** 머리 위에 떠 있는 이름표. */
export class Label {
  readonly element = document.createElement('div')
  #point = new THREE.Vector3()

  constructor(text: Text) {
    this.element.className = 'label'
    Object.assign(this.element.style, {
      position: 'fixed',
      left: '0',
      top: '0',
      padding: '3px 12px',
      borderRadius: '999px',
      background: 'var(--surface)',
      font: '600 var(--small) / 1.5 var(--font)',
      whiteSpace: 'nowrap',
      pointerEvents: 'none',
    } satisfies Partial<CSSStyleDeclaration>)
    document.body.append(this.element)
    language.watch(() => (this.element.textContent = language.say(text)))
  }

  hide(): void {
    this.element.style.opacity = '0'
  }

  /** 세계 좌표 point 위에 놓는다. */
  place(point: THREE.Vector3, camera: THREE.Camera, visible: boolean): void {
    this.element.style.opacity = visible ? '1' : '0'
    const { x, y } = this.#point.copy(point).project(camera)
    const top = Math.max(((1 - y) / 2) * innerHeight, CHIPS)
    this.element.style.transform = `translate(${((x + 1) / 2) * innerWidth}px, ${top}px) translate(-50%, -100%)`
  }
}
