import { loadSettings } from '../config/settings.ts'
import { type Command, configOption, dataDirOption, flagsOf } from './command.ts'

export const start: Command = {
  name: 'start',
  summary: 'starts the gateway (default command)',
  options: {
    port: { type: 'string', value: 'number', help: 'port to listen on (env PORT, default 8787; 0 picks a free port)' },
    host: { type: 'string', value: 'address', help: 'address to listen on (env HOST, default 127.0.0.1)' },
    workers: {
      type: 'string',
      value: 'number',
      help: 'number of worker processes, or auto for one per core (env HEADGATE_WORKERS, default 1)',
    },
    config: configOption,
    'data-dir': dataDirOption,
    'log-level': {
      type: 'string',
      value: 'level',
      help: 'trace, debug, info, warn, error, fatal or silent (env LOG_LEVEL, default info)',
    },
    'no-print-key': {
      type: 'boolean',
      help: 'write the first API key and the link to the first account to files in the data directory instead of printing them',
    },
  },
  async run(context) {
    if (process.send && context.environment['HEADGATE_WORKER'])
      return (await import('../cluster/worker.ts')).serveAsWorker(context)
    const settings = await loadSettings(flagsOf(context.values), context)
    if (settings.workers === 1)
      return (await import('../service/single-process.ts')).serveSingleProcess(settings, context)
    await (await import('../cluster/primary.ts')).serveWithWorkers(settings, context)
  },
}
