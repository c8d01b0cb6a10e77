import { testSearchBackend } from '@headgate/conformance'
import { local } from '../src/index.ts'

testSearchBackend(local, {
  config: {},
  find: [
    { q: 'how is headgate configured', first: 'How is Headgate configured?' },
    { q: 'what is billed', first: 'What is recorded, and what is billed?' },
  ],
})
