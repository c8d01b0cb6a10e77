import { once } from 'node:events'
import { findSecret } from '@headgate/store'

/**
 * Says that it is there, and makes the secret once it is told to, together with others. Writes what its sub-keys sign.
 */
const dataDir = process.argv[2] ?? ''
process.stdout.write('here\n')
await once(process.stdin, 'data')
process.stdout.write(`${findSecret({}, dataDir).subKeys('test').sign([], 1)}\n`)
process.stdin.destroy()
