/** Canonical model for `@headgate/gateway`. Not for adapters: it changes with the gateway. */
export { parseArguments } from './canonical/arguments.ts'
export { assemble, partsOf } from './canonical/assemble.ts'
export {
  type Block,
  type Citation,
  type FoundPage,
  type MediaBlock,
  OWN_SEARCH,
  type ToolCallBlock,
  type ToolResultBlock,
} from './canonical/block.ts'
export { MAX_DEPTH } from './canonical/depth.ts'
export { codeIn, errorReader } from './canonical/error-body.ts'
export { exactJson, parseExact } from './canonical/exact.ts'
export { ownPaths } from './canonical/field-names.ts'
export { folded } from './canonical/folded.ts'
export type {
  BackgroundResponses,
  Codec,
  Edit,
  Format,
  Frame,
  LimitNames,
  ModelEntry,
  ModelShapes,
  Normalization,
  Origin,
  OutputLimit,
  RateNames,
  References,
  Reply,
  Resolve,
  ResponseStorage,
  ResponseSummary,
  Restore,
  StreamReader,
  UsageReader,
} from './canonical/format.ts'
export { imageTokens } from './canonical/image-usage.ts'
export {
  type FetchedMedia,
  inlineMedia,
  type LinkedMedia,
  linkedMedia,
  standInMedia,
  type TranslationRoute,
} from './canonical/inline.ts'
export { checkInputs } from './canonical/inputs.ts'
export { compact, isObject, type Json, number, object, objects, parse, parseWith, put, text } from './canonical/json.ts'
export { ARRAY_PING, arrayWriter } from './canonical/json-array.ts'
export { addLosses, changed, dropped, foldedPath, type Loss, under } from './canonical/loss.ts'
export { normalizeMime, sniff } from './canonical/media.ts'
export { isDataUrl, readDataUrl } from './canonical/media-source.ts'
export { correctMediaTypes } from './canonical/media-types.ts'
export { type NamedIds, namedIds } from './canonical/named-ids.ts'
export type { Part } from './canonical/part.ts'
export type { ChatRequest, HostedTool, RequestField, ToolChoice } from './canonical/request.ts'
export type { ChatResponse, Finish, FinishReason } from './canonical/response.ts'
export { restoreParts, restoreResponse } from './canonical/restore.ts'
export { BROKEN, upstreamErrorOf } from './canonical/stream-failure.ts'
export {
  failedStream,
  observe,
  partWriter,
  type StreamObservations,
  translateFrames,
} from './canonical/stream-translation.ts'
export { checkLosses } from './canonical/strict.ts'
export { KINDS, type ModelFacts, type Price, type Rates, type Target, type Tariff } from './canonical/target.ts'
export { createTextSample, type TextSample } from './canonical/text-sample.ts'
export {
  addedUsage,
  freshInput,
  isCount,
  isOvercounted,
  NO_COUNT,
  tierOf,
  type Usage,
  uncountable,
  withoutFields,
} from './canonical/usage.ts'
export { wellFormed } from './canonical/well-formed.ts'
