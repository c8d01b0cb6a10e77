import { aiSdkAnthropic, aiSdkOpenAICompatible } from './ai.ts'
import { anthropicSdk } from './anthropic.ts'
import type { Client } from './client.ts'
import { googleSdk, googleSdkByKey, googleSdkOfProject } from './google.ts'
import { openaiSdk } from './openai.ts'

/** Every client that is tried. */
export const CLIENTS: readonly Client[] = [
  openaiSdk,
  aiSdkOpenAICompatible,
  anthropicSdk,
  aiSdkAnthropic,
  googleSdk,
  googleSdkOfProject,
  googleSdkByKey,
]
