export { openRedis, type RedisCalls, type RedisClient, type RedisClientOptions } from './redis/client.ts'
export {
  type FleetMessages,
  type FleetMessagesOptions,
  redisMessages,
} from './redis/messages.ts'
export { redisSharedRates } from './redis/rates.ts'
