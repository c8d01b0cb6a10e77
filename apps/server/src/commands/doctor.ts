import { type Command, configOption, dataDirOption } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks configuration, data directory, clock and the credentials of providers, and says what to do',
  options: { config: configOption, 'data-dir': dataDirOption },
  run: async (context) => (await import('../doctor/doctor.ts')).checkAll(context),
}
