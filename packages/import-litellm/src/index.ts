/** Translation of other gateways' configurations for Headgate. */
export { translateBifrost } from './bifrost.ts'
export type { ImportedAlias, ImportedConfig, ImportedTarget } from './config.ts'
export { translatePortkey } from './portkey.ts'
export { type Remark, reportOf } from './report.ts'
export { type Translation, type TranslationOptions, translateLiteLLM } from './translation.ts'
export type { Needed } from './variables.ts'
