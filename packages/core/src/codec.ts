/** Entry for authors of codecs: the canonical model, losses and errors. */
export { argumentsObject } from './canonical/arguments.ts'
export type * from './canonical/block.ts'
export { described } from './canonical/described.ts'
export { effortOfBudget, nearestEffort } from './canonical/effort.ts'
export { errorReader, type VendorErrors } from './canonical/error-body.ts'
export { parseExact } from './canonical/exact.ts'
export type { FieldNames } from './canonical/field-names.ts'
export type { Codec, Frame, Origin, Restore, StreamReader, WrittenRequest } from './canonical/format.ts'
export { compact, isObject, type Json, number, object, objects, parse, text } from './canonical/json.ts'
export { changed, dropped, type Loss, under } from './canonical/loss.ts'
export { encodeText, sniff } from './canonical/media.ts'
export { dataUrl, foreignFile, refusedKind, refusedMedia, refusedUrl } from './canonical/media-source.ts'
export type { Delta, Part } from './canonical/part.ts'
export type * from './canonical/request.ts'
export type * from './canonical/response.ts'
export { loseSignature, sendSignature } from './canonical/signature.ts'
export { BROKEN, CUT } from './canonical/stream-failure.ts'
export type { ChatFacts, ModelFacts, Target } from './canonical/target.ts'
export {
  callsOf,
  checkChoice,
  customDescription,
  FREE_TEXT,
  fitToolNames,
  leaveOut,
  misplaced,
  missingResult,
  permittedTools,
  restoreOf,
} from './canonical/tools.ts'
export { losePrefill, reminder, splitSystem } from './canonical/turns.ts'
export { count, tierOf, type Usage } from './canonical/usage.ts'
export { ownFields, unknownFields, writeExtensions } from './canonical/vendor-extensions.ts'
export { sentName, type WriteState } from './canonical/write-state.ts'
export { HeadgateError, invalid, type UpstreamError } from './errors.ts'
