import { chat } from './chat/index.ts'
import { embeddings } from './embeddings/index.ts'
import type { FamilyKit } from './family.ts'
import { models } from './models/index.ts'
import { rerank } from './rerank/index.ts'
import { video } from './video/index.ts'

/** Every family of providers that the kit checks. A further one is a folder beside this file and a line here. */
export const families: readonly FamilyKit[] = [chat, embeddings, rerank, video, models]
