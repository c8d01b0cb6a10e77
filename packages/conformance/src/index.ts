export { CALLER_KEY } from './caller.ts'
export type { Check, CheckTarget, RemoteTarget } from './checks/check.ts'
export { envelopeProblems, lineProblems } from './checks/envelope.ts'
export { CHUNKINGS, type Chunking, framesOf } from './chunkings.ts'
export { examine, type Finding } from './examine.ts'
export type { Adapter, ProviderFacts, UpstreamFacts } from './facts.ts'
export { answerDifferences, requestDifferences } from './families/chat/compare.ts'
export type {
  ChatUpstreamFacts,
  FormatFacts,
  JobFacts,
  Lacking,
  WireFacts,
  WrittenAnswer,
} from './families/chat/facts.ts'
export { failures, type VendorFailures } from './families/chat/failures/index.ts'
export {
  type AnswerMeaning,
  type ExpectedPart,
  FORMATS,
  type KitFormat,
  type ReadAnswer,
  type RequestMeaning,
  type Tokens,
  type ToolUse,
} from './families/chat/meaning.ts'
export { vendorOf } from './families/chat/scenario-vendor.ts'
export { scenarios } from './families/chat/scenarios/index.ts'
export type { Scenario, ScenarioResponse } from './families/chat/scenarios/scenario.ts'
export { type Script, type ScriptedTurn, scripted, type Thought, turnOf } from './families/chat/script.ts'
export { SHORT_QUESTIONS } from './families/chat/short-questions.ts'
export { type Wire, wires } from './families/chat/wire/index.ts'
export type {
  EmbeddingsAnswer,
  EmbeddingsFacts,
  EmbeddingsFormatFacts,
  EmbeddingsMeaning,
  EmbeddingsWireFacts,
} from './families/embeddings/facts.ts'
export type { Asks, FamilyKit, MoreFamilies } from './families/family.ts'
export {
  type ImagesReply,
  type ImagesRun,
  type ImagesSent,
  imagesExchange,
} from './families/images/exchange.ts'
export type { ImagesAnswer, ImagesFacts, ImagesMeaning, ReceivedImage } from './families/images/facts.ts'
export type {
  ModerationContent,
  ModerationsAnswer,
  ModerationsFacts,
  ModerationTopic,
} from './families/moderations/facts.ts'
export { guardModerations } from './families/moderations/guards.ts'
export type { RerankAnswer, RerankFacts, RerankMeaning } from './families/rerank/facts.ts'
export { examineSearchBackend } from './families/search/examine.ts'
export { type RequestParts, type SearchExchange, searchExchange } from './families/search/exchange.ts'
export type {
  Circumstances,
  RequestProbe,
  SearchAdapter,
  SearchFacts,
  SearchUpstreamFacts,
  Understood,
  VendorRequest,
  VendorResult,
} from './families/search/facts.ts'
export { testSearchBackend } from './families/search/test-search-backend.ts'
export type { SpeechAnswer, SpeechFacts, SpeechMeaning } from './families/speech/facts.ts'
export { formatOf } from './families/speech/vendor.ts'
export type {
  TranscriptAnswer,
  TranscriptionFacts,
  TranscriptMeaning,
} from './families/transcription/facts.ts'
export { readTranscriptForm, writeTranscript } from './families/transcription/shared.ts'
export type {
  InProcessVideoFacts,
  RemoteVideoFacts,
  VideoAnswer,
  VideoFacts,
  VideoMeaning,
} from './families/video/facts.ts'
export { type FramingId, framings, type StreamFraming, type VendorFrame } from './framing.ts'
export type { CredentialFacts, SignatureFacts, UpstreamPlace } from './place.ts'
export type { ReceivedRows, SinkFacts, SinkFailure, TestedSink } from './sinks/facts.ts'
export { rowsOfLines, testBatch } from './sinks/harness.ts'
export { examineSink, testSink } from './sinks/test-sink.ts'
export { type TestCall, testCall } from './test-call.ts'
export { testProvider } from './test-provider.ts'
export {
  type LoopbackUpstream,
  type Received,
  type ReceivedPart,
  startUpstream,
  type UpstreamReply,
} from './upstream.ts'
