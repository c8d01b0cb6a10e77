import type { ChatFacts } from '../canonical/target.ts'
import type { ChatInProcess, ChatSupport } from './chat.ts'
import type { EmbeddingsSupport } from './embeddings.ts'
import { checkMembers, type Members } from './members.ts'
import type { RerankSupport } from './rerank.ts'
import type { VideoAbilities, VideoSupport } from './video.ts'

const CHAT: Members<ChatSupport | ChatInProcess> = {
  run: true,
  format: true,
  speaks: true,
  path: true,
  keepsAnswers: true,
  framing: true,
  drop: true,
  rename: true,
  patchRequest: true,
  accepts: true,
  replace: true,
  poll: true,
  patchResponse: true,
  patchFrame: true,
  headers: true,
  forward: true,
  routingFields: true,
  answer: true,
  signer: true,
  facts: true,
}

const CHAT_FACTS: Members<ChatFacts> = {
  usageInStream: true,
  imageUrls: true,
  pdfUrls: true,
  documents: true,
  plainSystem: true,
  toolCallIds: true,
  reasoning: true,
  maxTokens: true,
  webSearch: true,
  prefix: true,
}

const EMBEDDINGS: Members<EmbeddingsSupport> = {
  request: true,
  response: true,
  reads: true,
  run: true,
  batch: true,
  tokens: true,
  native: true,
  headers: true,
  inputTypes: true,
}

const RERANK: Members<RerankSupport> = {
  request: true,
  response: true,
  reads: true,
  run: true,
  most: true,
  billing: true,
}

const VIDEO: Members<VideoSupport> = {
  native: true,
  can: true,
  accepts: true,
  idempotent: true,
  create: true,
  get: true,
  cancel: true,
  trace: true,
  find: true,
  pace: true,
}

const ABILITIES: Members<VideoAbilities> = {
  text: true,
  frames: true,
  images: true,
  videos: true,
  audios: true,
  takes: true,
  durations: true,
  ownDuration: true,
  ratios: true,
  resolutions: true,
  seed: true,
  audio: true,
  watermark: true,
  cameraFixed: true,
  user: true,
}

/** What a provider serves. */
interface Supports {
  readonly chat?: readonly (ChatSupport | ChatInProcess)[]
  readonly embeddings?: EmbeddingsSupport
  readonly rerank?: RerankSupport
  readonly video?: VideoSupport
}

/** Checks the names in what a provider serves. @throws TypeError that names what was meant. */
export function checkSupports(id: string, { chat = [], embeddings, rerank, video }: Supports): void {
  for (const support of chat) {
    checkMembers(`The chat support of ${id}`, support, CHAT)
    if ('facts' in support) checkMembers(`\`facts\` in the chat support of ${id}`, support.facts, CHAT_FACTS)
  }
  checkMembers(`The embeddings support of ${id}`, embeddings, EMBEDDINGS)
  checkMembers(`The rerank support of ${id}`, rerank, RERANK)
  checkMembers(`The video support of ${id}`, video, VIDEO)
  checkMembers(`\`can\` in the video support of ${id}`, video?.can, ABILITIES)
}
