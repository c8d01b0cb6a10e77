import { chat } from './chat/index.ts'
import { embeddings } from './embeddings/index.ts'
import type { FamilyKit } from './family.ts'
import { images } from './images/index.ts'
import { models } from './models/index.ts'
import { moderations } from './moderations/index.ts'
import { rerank } from './rerank/index.ts'
import { speech } from './speech/index.ts'
import { transcription } from './transcription/index.ts'
import { video } from './video/index.ts'

/** All provider families that the kit checks. To add a family, add a folder next to this file and an entry here. */
export const families: readonly FamilyKit[] = [
  chat,
  embeddings,
  rerank,
  moderations,
  images,
  speech,
  transcription,
  video,
  models,
]
