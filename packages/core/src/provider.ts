/** Entry for authors of providers. */

export { parseExact } from './canonical/exact.ts'
export { imageTokens } from './canonical/image-usage.ts'
export { isObject, type Json, number, object, objects, parse, text } from './canonical/json.ts'
export type { ChatFacts, ModelFacts, Price } from './canonical/target.ts'
export type { Usage } from './canonical/usage.ts'
export type { ChatInProcess, ChatSupport, FormatId, PerModel, UpstreamFrame } from './contract/chat.ts'
export {
  type Credential,
  type FinalRequest,
  type Lease,
  type Leased,
  type Signed,
  signed,
} from './contract/credential.ts'
export type {
  EmbeddingsRequest,
  EmbeddingsResponse,
  EmbeddingsSupport,
  EmbeddingUse,
  InputTypes,
  Vector,
} from './contract/embeddings.ts'
export { apiKey, baseUrl, endpoint, endpointEnv, required } from './contract/endpoint.ts'
export { type Call, type Exchange, type InProcess, isNext, type Next, next } from './contract/exchange.ts'
export { targetOf } from './contract/hosts.ts'
export type { Body, Content, FormPart, HttpRequest, HttpResponse } from './contract/http.ts'
export {
  imageBase64,
  imagePart,
  imageUrl,
  madeImages,
  pollDelayMs,
  sizeText,
  textParts,
  unitUsage,
} from './contract/image-values.ts'
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
export { nearest } from './contract/nearest.ts'
export { type Pixels, pixelsOf } from './contract/pixels.ts'
export {
  CONTRACT,
  type CountTokensRequest,
  defineProvider,
  type EnvironmentSource,
  type LocalResponse,
  type PromptCacheFacts,
  type Provider,
  type ProviderAdapter,
  type ProviderInstance,
  type ProviderMeta,
  type Upstream,
} from './contract/provider.ts'
export type { Ranked, RerankRequest, RerankResponse, RerankSupport } from './contract/rerank.ts'
export { expiryOf } from './contract/signed-url.ts'
export {
  SPEECH_FORMATS,
  type SpeechAbilities,
  type SpeechFormat,
  type SpeechPart,
  type SpeechRequest,
  type SpeechSupport,
} from './contract/speech.ts'
export { bytesOf, readSpeechEvent, speechUsage } from './contract/speech-event.ts'
export type { TaskRef, TaskStatus } from './contract/task.ts'
export {
  type Transcript,
  type TranscriptSegment,
  type TranscriptWord,
  timedText,
  timeUsage,
} from './contract/transcript.ts'
export type {
  TranscriptionAbilities,
  TranscriptionRequest,
  TranscriptionResponse,
  TranscriptionSupport,
  TranscriptTimes,
} from './contract/transcription.ts'
export {
  chatCompletionsLimits,
  IETF_LIMITS,
  type LimitHeader,
  MESSAGES_LIMITS,
  type ResetNotation,
} from './contract/upstream-limits.ts'
export type {
  VideoAsset,
  VideoCapabilities,
  VideoFailure,
  VideoIntent,
  VideoMedia,
  VideoOutput,
  VideoRefusal,
  VideoRequest,
  VideoSupport,
  VideoTask,
} from './contract/video.ts'
export {
  missingInputs,
  namedInputs,
  VIDEO_INPUTS,
  type VideoInput,
  type VideoInputNames,
} from './contract/video-inputs.ts'
export { mediaUrl, refusalIn, refusedPart, taskId } from './contract/video-values.ts'
export { pcmOfWav, wavHeader } from './contract/wav.ts'
export { type ErrorKind, HeadgateError, type UpstreamError } from './errors.ts'
export { errorsByCode } from './presets/errors-by-code.ts'
export { contentImageAbilities, contentImages, drawsByContent } from './presets/generate-content-images.ts'
export { gptImageAbilities, gptImages, gptImageTokens } from './presets/gpt-images.ts'
export { guardFacts, guardsSupport, isGuard } from './presets/guards.ts'
export { type ImagesOptions, imagesSupport } from './presets/images.ts'
export { type ModerationsOptions, moderationsSupport } from './presets/moderations.ts'
export { type RerankOptions, rerankSupport } from './presets/rerank.ts'
export { SPEAKER, type SpeechOptions, speechSupport } from './presets/speech.ts'
export {
  type TranscriptionOptions,
  transcriptionAbilities,
  transcriptionSupport,
  WHISPER,
} from './presets/transcription.ts'
