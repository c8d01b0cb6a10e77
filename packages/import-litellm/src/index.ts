/** Translation of LiteLLM's proxy configuration for Headgate. */
export type { ImportedConfig } from './config.ts'
export { type Remark, reportOf } from './report.ts'
export { type Translation, type TranslationOptions, translateLiteLLM } from './translation.ts'
export type { Needed } from './variables.ts'
