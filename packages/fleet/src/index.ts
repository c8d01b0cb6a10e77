export { createMemorySharedRates, type MemorySharedRates, type MemorySharedRatesOptions } from './counts.ts'
