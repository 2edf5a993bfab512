import * as THREE from 'three'

/** 캔버스에 그려 만든 텍스처. 진짜 그림 파일이 있으면 THREE.TextureLoader 로 바꾸면 된다. */
export function paint(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
): THREE.CanvasTexture {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  draw(canvas.getContext('2d')!)
  const texture = new THREE.CanvasTexture(canvas)
  texture.colorSpace = THREE.SRGBColorSpace
  texture.anisotropy = 8
  return texture
}

/** 점마다 [r, g, b] (0~255) 를 돌려주는 함수로 칠한, 사방으로 이어지는 텍스처. */
export function paintPixels(
  size: number,
  colour: (x: number, y: number) => readonly [number, number, number],
  srgb = true,
): THREE.CanvasTexture {
  const texture = paint(size, size, (context) => {
    const image = context.createImageData(size, size)
    for (let y = 0, k = 0; y < size; y++)
      for (let x = 0; x < size; x++, k += 4) {
        const [r, g, b] = colour(x, y)
        image.data[k] = r
        image.data[k + 1] = g
        image.data[k + 2] = b
        image.data[k + 3] = 255
      }
    context.putImageData(image, 0, 0)
  })
  if (!srgb) texture.colorSpace = THREE.NoColorSpace
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping
  return texture
}

/** 높이(0~1, size × size)에서 법선 지도를 만든다. strength 는 기울기의 세기. */
export function normalMap(size: number, height: Float32Array, strength: number): THREE.CanvasTexture {
  const at = (x: number, y: number): number => height[((y + size) % size) * size + ((x + size) % size)]!
  return paintPixels(
    size,
    (x, y) => {
      const dx = (at(x - 1, y) - at(x + 1, y)) * strength
      const dy = (at(x, y + 1) - at(x, y - 1)) * strength
      const length = Math.hypot(dx, dy, 1)
      return [(dx / length) * 127.5 + 127.5, (dy / length) * 127.5 + 127.5, 127.5 / length + 127.5]
    },
    false,
  )
}

/** 가운데가 밝고 가장자리로 사라지는 동그란 빛. */
export function glowTexture(stops: readonly (readonly [number, string])[], size = 128): THREE.CanvasTexture {
  return paint(size, size, (context) => {
    const gradient = context.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2)
    for (const [offset, colour] of stops) gradient.addColorStop(offset, colour)
    context.fillStyle = gradient
    context.fillRect(0, 0, size, size)
  })
}
