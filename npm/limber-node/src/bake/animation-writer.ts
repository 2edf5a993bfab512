import type { Accessor, Animation, Buffer, Document, Node } from '@gltf-transform/core'

/** What of a node an animation changes. */
export type Path = 'weights' | 'rotation' | 'translation' | 'scale'

/** How glTF calls what keyframes change. */
export const PATHS = { quaternion: 'rotation', position: 'translation', scale: 'scale' } as const

/** Writes keyframes into an animation. */
export class AnimationWriter {
  readonly #document: Document
  readonly #buffer: Buffer
  readonly animation: Animation
  readonly #shared = new Map<string, Accessor>()

  constructor(document: Document, buffer: Buffer, animation: Animation) {
    this.#document = document
    this.#buffer = buffer
    this.animation = animation
  }

  /** One accessor for all keyframes of the same numbers: most bones stand still in most ways. */
  shared(type: 'SCALAR' | 'VEC3' | 'VEC4', array: Float32Array<ArrayBuffer>): Accessor {
    // As bits: a zero may be negative.
    const key = `${type} ${new Uint32Array(array.buffer, array.byteOffset, array.length).join()}`
    let found = this.#shared.get(key)
    if (!found) {
      found = this.#document.createAccessor().setType(type).setArray(array.slice()).setBuffer(this.#buffer)
      this.#shared.set(key, found)
    }
    return found
  }

  animate(
    node: Node,
    path: Path,
    times: Accessor,
    values: Accessor,
    interpolation: 'LINEAR' | 'STEP' | 'CUBICSPLINE' = 'LINEAR',
  ): void {
    const same = this.animation
      .listSamplers()
      .find((s) => s.getInput() === times && s.getOutput() === values && s.getInterpolation() === interpolation)
    const sampler =
      same ?? this.#document.createAnimationSampler().setInput(times).setOutput(values).setInterpolation(interpolation)
    const channel = this.#document.createAnimationChannel().setTargetNode(node).setTargetPath(path)
    this.animation.addSampler(sampler).addChannel(channel.setSampler(sampler))
  }

  /** Whether it moves a node so already. */
  moves(node: Node, path: string): boolean {
    return this.animation.listChannels().some((c) => c.getTargetNode() === node && c.getTargetPath() === path)
  }
}
