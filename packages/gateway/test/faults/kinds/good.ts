import { streamedAnswer, wholeAnswer, wires } from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { Scene } from '../scene.ts'
import { answer, chunked, type Step } from '../step.ts'

/** A good answer. */
export function goodSteps(scene: Scene): Step[] {
  return scene.stream ? chunked(wires(scene, streamedAnswer(scene))) : answer(200, wholeAnswer(scene))
}

/** The body of a good answer. */
export function goodBody(scene: Scene): Buffer {
  return Buffer.from(scene.stream ? wires(scene, streamedAnswer(scene)).join('') : JSON.stringify(wholeAnswer(scene)))
}

export const GOOD: Fault = { name: 'none', fate: 'served', steps: goodSteps }
