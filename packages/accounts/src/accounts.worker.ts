import { parentPort, workerData } from 'node:worker_threads'
import { serveCalls } from '@headgate/store/sql'
import { type AccountsSettings, openCalls } from './accounts.ts'

const settings: AccountsSettings = workerData
const port = parentPort
if (!port) throw new TypeError('This file must run in a worker thread.')

serveCalls(port, () => openCalls(settings))
