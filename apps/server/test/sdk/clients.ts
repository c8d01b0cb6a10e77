import { aiSdkAnthropic, aiSdkOpenAI, aiSdkOpenAICompatible } from './ai.ts'
import { anthropicSdk } from './anthropic.ts'
import type { Client, VendorClient } from './client.ts'
import { googleSdks } from './google.ts'
import { openaiResponsesSdk, openaiSdk } from './openai.ts'

/** The vendors' own. */
export const VENDOR_CLIENTS: readonly VendorClient[] = [openaiSdk, openaiResponsesSdk, anthropicSdk, ...googleSdks]

/** Every client that is tried. */
export const CLIENTS: readonly Client[] = [...VENDOR_CLIENTS, aiSdkOpenAICompatible, aiSdkOpenAI, aiSdkAnthropic]
