export * from './presets/openai-compatible.ts'
