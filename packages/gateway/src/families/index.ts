import type { Family } from '../serve/family.ts'
import { chat } from './chat/index.ts'
import { embeddings } from './embeddings/index.ts'
import { images } from './images/index.ts'
import { key } from './key/index.ts'
import { models } from './models/index.ts'
import { moderations } from './moderations/index.ts'
import { rerank } from './rerank/index.ts'
import { search } from './search/index.ts'
import { speech } from './speech/index.ts'
import { transcription } from './transcription/index.ts'
import { video } from './video/index.ts'

/** All families. To add a family, create a folder next to this file and add it to this list. */
export const families: readonly Family[] = [
  chat,
  embeddings,
  rerank,
  images,
  speech,
  transcription,
  moderations,
  models,
  search,
  video,
  key,
]
