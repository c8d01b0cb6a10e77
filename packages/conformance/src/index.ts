export { CALLER_KEY } from './caller.ts'
export type { Check, RemoteSubject, Subject } from './checks/check.ts'
export { envelopeProblems, lineProblems } from './checks/envelope.ts'
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
  type Call,
  FORMATS,
  type FormatId,
  type ReadAnswer,
  type RequestMeaning,
  type Said,
  type Tokens,
} from './families/chat/meaning.ts'
export { vendorOf } from './families/chat/scenario-vendor.ts'
export { scenarios } from './families/chat/scenarios/index.ts'
export type { Scenario, VendorAnswer } from './families/chat/scenarios/scenario.ts'
export { type Script, scripted, type Thought, type Turn, turnOf } from './families/chat/script.ts'
export { SHORT_QUESTIONS } from './families/chat/short-questions.ts'
export { type Wire, wires } from './families/chat/wire/index.ts'
export type {
  AskedVectors,
  EmbeddingsFacts,
  EmbeddingsFormatFacts,
  EmbeddingsWireFacts,
  MadeVectors,
} from './families/embeddings/facts.ts'
export type { Asks, FamilyKit, MoreFamilies } from './families/family.ts'
export type { AskedRanking, MadeRanking, RerankFacts } from './families/rerank/facts.ts'
export { examineSearchBackend } from './families/search/examine.ts'
export { type AskedRequest, type SearchExchange, searchExchange } from './families/search/exchange.ts'
export type {
  Circumstances,
  Result,
  SearchAdapter,
  SearchFacts,
  SearchUpstreamFacts,
  Shown,
  Understood,
  VendorRequest,
} from './families/search/facts.ts'
export { testSearchBackend } from './families/search/test-search-backend.ts'
export type {
  AskedVideo,
  OwnVideoFacts,
  RemoteVideoFacts,
  VendorAnswer as VideoAnswer,
  VideoFacts,
} from './families/video/facts.ts'
export { type FramingId, framings, type StreamFraming, type VendorFrame } from './framing.ts'
export { CUTS, type Cut, framesOf } from './pieces.ts'
export type { CredentialFacts, SignatureFacts, UpstreamPlace } from './place.ts'
export { type TestCall, testCall } from './test-call.ts'
export { testProvider } from './test-provider.ts'
export { type Received, type Reply, startUpstream, type Upstream } from './upstream.ts'
