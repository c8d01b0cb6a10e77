import type { ChatFacts } from '../canonical/target.ts'
import type { ChatInProcess, ChatSupport } from './chat.ts'
import type { EmbeddingsSupport } from './embeddings.ts'
import type { ImagesAbilities, ImagesSupport } from './images.ts'
import { checkMembers, membersOf } from './members.ts'
import type { ModerationsSupport } from './moderations.ts'
import type { RerankSupport } from './rerank.ts'
import type { SpeechAbilities, SpeechSupport } from './speech.ts'
import type { TranscriptionAbilities, TranscriptionSupport } from './transcription.ts'
import type { VideoCapabilities, VideoSupport } from './video.ts'

const CHAT = membersOf<ChatSupport | ChatInProcess>()(
  'run format speaks path storesResponses framing drop rename patchRequest accepts replace poll patchResponse',
  'patchFrame headers forward routingFields routes responseHeaders signer facts',
)

const CHAT_FACTS = membersOf<ChatFacts>()(
  'usageInStream imageUrls pdfUrls documents plainSystem toolCallIds reasoning maxTokens webSearch imageTool prefix',
)

const EMBEDDINGS = membersOf<EmbeddingsSupport>()('request response reads run batch tokens native headers inputTypes')

const RERANK = membersOf<RerankSupport>()('request response reads run most billing')

const MODERATIONS = membersOf<ModerationsSupport>()(
  'request response reads run native headers serves images batch tokens',
)

const TRANSCRIPTION = membersOf<TranscriptionSupport>()('request response reads native can')

const HEARING = membersOf<TranscriptionAbilities>()(
  'times speakers translates prompt keywords temperature maxBytes maxMs formats stream surcharges',
)

const SPEECH = membersOf<SpeechSupport>()('native can request part hasEnd usageOf')

const SPEAKING = membersOf<SpeechAbilities>()(
  'voices voiceNames formats wavRate speed instructions maxCharacters sse tokensPerCharacter',
)

const IMAGES = membersOf<ImagesSupport>()('request response reads native can cancel')

const DRAWING = membersOf<ImagesAbilities>()(
  'n sizes ratios resolutions qualities formats compression transparent seed negative user images mask more takes',
  'inputTokens outputTokens',
)

const VIDEO = membersOf<VideoSupport>()('native capabilities accepts idempotent create get cancel trace find pollRate')

const ABILITIES = membersOf<VideoCapabilities>()(
  'text frames images videos audios takes durations ownDuration ratios resolutions seed audio watermark cameraFixed',
  'user',
)

/** Families of a provider. */
interface Supports {
  readonly chat?: readonly (ChatSupport | ChatInProcess)[]
  readonly embeddings?: EmbeddingsSupport
  readonly rerank?: RerankSupport
  readonly video?: VideoSupport
  readonly images?: ImagesSupport | undefined
  readonly speech?: SpeechSupport | undefined
  readonly transcription?: TranscriptionSupport | undefined
  readonly moderations?: ModerationsSupport | undefined
}

/**
 * Checks the member names in a provider's families.
 * @throws TypeError that suggests the correct name.
 */
export function checkSupports(id: string, supports: Supports): void {
  const { chat = [], embeddings, rerank, video, images, speech, transcription, moderations } = supports
  for (const support of chat) {
    checkMembers(`The chat support of ${id}`, support, CHAT)
    if ('facts' in support) checkMembers(`\`facts\` in the chat support of ${id}`, support.facts, CHAT_FACTS)
  }
  checkMembers(`The embeddings support of ${id}`, embeddings, EMBEDDINGS)
  checkMembers(`The rerank support of ${id}`, rerank, RERANK)
  checkMembers(`The images support of ${id}`, images, IMAGES)
  checkMembers(`\`can\` in the images support of ${id}`, images?.can, DRAWING)
  checkMembers(`The speech support of ${id}`, speech, SPEECH)
  checkMembers(`\`can\` in the speech support of ${id}`, speech?.can, SPEAKING)
  checkMembers(`The transcription support of ${id}`, transcription, TRANSCRIPTION)
  checkMembers(`\`can\` in the transcription support of ${id}`, transcription?.can, HEARING)
  checkMembers(`The moderations support of ${id}`, moderations, MODERATIONS)
  checkMembers(`The video support of ${id}`, video, VIDEO)
  checkMembers(`\`capabilities\` in the video support of ${id}`, video?.capabilities, ABILITIES)
}
