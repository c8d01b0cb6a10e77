import { testProvider } from '@headgate/conformance'
import { local } from '../src/index.ts'
import { MODEL } from '../src/model.ts'

testProvider(local, { config: {}, embeddings: { model: MODEL, batch: 64 } })
