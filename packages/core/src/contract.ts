/** Contract for `@headgate/gateway`. Not for adapters: it changes with the gateway. */
export { type ChatInProcess, type ChatSupport, forModel } from './contract/chat.ts'
export type { Credential, FinalRequest, Leased, Signed } from './contract/credential.ts'
export type {
  EmbeddingsRequest,
  EmbeddingsResponse,
  EmbeddingsSupport,
  EmbeddingsWire,
  EmbeddingUse,
  Vector,
} from './contract/embeddings.ts'
export { type Call, type Exchange, type InProcess, isNext, type Next } from './contract/exchange.ts'
export { targetOf } from './contract/hosts.ts'
export type { Body, Content, FormPart, HttpRequest, HttpResponse } from './contract/http.ts'
export type {
  ImageFormat,
  ImageInput,
  ImageSize,
  ImagesAbilities,
  ImagesRequest,
  ImagesResponse,
  ImagesSupport,
  MadeImage,
  NativeImages,
} from './contract/images.ts'
export type { MediaFile } from './contract/media-file.ts'
export type {
  ModerationPart,
  ModerationResult,
  ModerationsRequest,
  ModerationsResponse,
  ModerationsSupport,
} from './contract/moderations.ts'
export { fits } from './contract/pattern.ts'
export {
  CONTRACT,
  type FailureBilling,
  type LocalResponse,
  type PromptCacheFacts,
  type Provider,
  type ProviderAdapter,
  type ProviderInstance,
  type Upstream,
} from './contract/provider.ts'
export type { Ranked, RerankRequest, RerankResponse, RerankSupport } from './contract/rerank.ts'
export {
  type BackendAdapter,
  type BackendInstance,
  OPERATORS,
  type Operator,
  PARAMETERS,
  type Paging,
  type Parameter,
  type SearchItem,
  type SearchPage,
  type SearchQuery,
  type Site,
} from './contract/search.ts'
export type { SinkAdapter, SinkBatch, SinkInstance, SinkLimits } from './contract/sink.ts'
export {
  SPEECH_FORMATS,
  type SpeechAbilities,
  type SpeechFormat,
  type SpeechPart,
  type SpeechRequest,
  type SpeechSupport,
} from './contract/speech.ts'
export { readSpeechEvent } from './contract/speech-event.ts'
export { TASK_STATUSES, type TaskRef, type TaskStatus } from './contract/task.ts'
export type { Transcript, TranscriptSegment, TranscriptWord } from './contract/transcript.ts'
export type {
  TranscriptionAbilities,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSupport,
  TranscriptTimes,
} from './contract/transcription.ts'
export type { LimitHeader, ResetNotation } from './contract/upstream-limits.ts'
export type {
  VideoAsset,
  VideoCapabilities,
  VideoFailure,
  VideoMedia,
  VideoOutput,
  VideoRequest,
  VideoSupport,
  VideoTask,
} from './contract/video.ts'
export { readWavHead, wavHeader } from './contract/wav.ts'
