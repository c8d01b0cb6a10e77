/** Formats for `@headgate/gateway`. Not for adapters: it changes with the gateway. */
export { chatCompletions } from './formats/chat-completions/index.ts'
export { completions } from './formats/completions/index.ts'
export { writeError } from './formats/generate-content/error.ts'
export { generateContent } from './formats/generate-content/index.ts'
export { hostedIn, isVendors } from './formats/hosted-tools.ts'
export { formats, wires } from './formats/index.ts'
export {
  type BodyLimit,
  LEAST_LIMIT,
  largestOf,
  limitingEdits,
  limitOf,
  limitsIn,
  loweringEdits,
  type RequestOutputLimits,
} from './formats/limits.ts'
export { mediaIn } from './formats/media-tokens.ts'
export { messages } from './formats/messages/index.ts'
export { background } from './formats/responses/background.ts'
export { responses } from './formats/responses/index.ts'
export {
  closeFrame,
  lineSplitter,
  MAX_FRAME,
  readDataLines,
  readFrames,
  readLines,
  type Splitter,
  splitFrames,
  sseSplitter,
  writeFrame,
} from './formats/sse.ts'
