import { LABELS } from '../labels.ts'

const KINDS: Readonly<Record<string, string>> = {
  input: LABELS.input,
  cacheRead: LABELS.cacheRead,
  cacheWrite: LABELS.cacheWrite,
  cacheWriteLong: LABELS.cacheWriteLong,
  audioInput: LABELS.audioInput,
  audioCached: LABELS.audioCached,
  imageInput: LABELS.imageInput,
  output: LABELS.output,
  audioOutput: LABELS.audioOutput,
  imageOutput: LABELS.imageOutput,
}

/** Label of a kind of usage, as in the calculation of a cost. Units such as `searches` are their own label. */
export function usageLabel(kind: string): string {
  return KINDS[kind] ?? kind
}
