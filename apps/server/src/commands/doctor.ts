import { type Command, configOption, dataDirOption } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks configuration, data directory, clock and provider credentials, and suggests fixes',
  options: { config: configOption, 'data-dir': dataDirOption },
  run: async (context) => (await import('../doctor/doctor.ts')).checkAll(context),
}
