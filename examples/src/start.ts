import { demo } from '@headgate/provider-demo'
import { BASE_PATH, createApplicationGateway } from './gateway.ts'
import { servers } from './servers.ts'

const PORT = 3000
const [name = 'node'] = process.argv.slice(2)
const serve = servers[name]
if (!serve) throw new Error(`Unknown example: ${name}. There are: ${Object.keys(servers).join(', ')}`)

const users = new Map([['sk-of-ada', { id: 'ada' }]])
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const gateway = createApplicationGateway({
  providers: [demo({})],
  findUser: async (key) => users.get(key),
  book: async (user, nanoDollars) => say(`${user} has spent ${nanoDollars ?? 'an unknown number of'} nano-dollars.`),
})
const server = await serve(gateway)
server.listen(PORT, '127.0.0.1', () => say(`http://127.0.0.1:${PORT}${BASE_PATH}/v1, with the key sk-of-ada`))

process.once('SIGINT', async () => {
  server.close()
  await gateway.close()
})
