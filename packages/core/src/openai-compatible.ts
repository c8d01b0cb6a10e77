export * from './contract/presets/openai-compatible.ts'
