import type { Principal } from './ledger.ts'

/** Stored response that later requests can name. The responses format stores responses by default. */
export interface StoredResponse {
  readonly id: string
  /** Owner: the person in a project, the project of a service key, or the key, in the gateway's notation. */
  readonly owner: string
  /** Id of the key's project; absent if the key has none. */
  readonly project?: string
  /** Id of the key that created the response. */
  readonly key: string
  /** Name of the provider instance that stores the response; absent = the gateway stores it. */
  readonly provider?: string
  /** As the caller named it. */
  readonly model: string
  /** Unix time in milliseconds, like all times here. */
  readonly createdAt: number
  /** Expiry. */
  readonly keptUntil: number
  /** Other ids that name it: its items, and resources that its tools created. */
  readonly items: readonly string[]
  /** Sealed request and response; present until expiry if the gateway stores it. */
  readonly data?: string
}

/** Storage quota of one key. The oldest responses are removed first. */
export interface ResponseQuota {
  readonly count: number
  /** Size of the sealed data. */
  readonly bytes: number
}

/** Responses that a caller can name. */
export interface ResponseVisibility {
  readonly owner: string
  /** Id of a project that shares responses: includes the responses of all its keys. */
  readonly project?: string
}

/** Persistent store of responses, shared by all processes. */
export interface ResponseStore {
  /**
   * Stores a response, replaces an existing one with the same owner and id, and removes the key's oldest responses
   * beyond `room`. Resolves when it is stored.
   */
  put(answer: StoredResponse, room: ResponseQuota): Promise<void>
  /** Responses that are visible and have one of these ids, or an item with one of them. */
  find(sight: ResponseVisibility, ids: readonly string[]): Promise<readonly StoredResponse[]>
  /** The ids among these that belong to a stored response or an item of one, of any owner. */
  known(ids: readonly string[]): Promise<readonly string[]>
  /** @returns false if no such response exists. */
  remove(owner: string, id: string): Promise<boolean>
}

/** Encryption of stored data. `about` binds it to its owner: with another value, it cannot be opened. */
export interface Sealer {
  seal(plain: Uint8Array, about: string): string
  /** Undefined if the data was changed, belongs to another `about`, or was sealed with an unknown secret. */
  open(sealed: string, about: string): Uint8Array | undefined
}

/** Use of another owner's stored response, in a project that shares responses. */
export interface SharedUse {
  readonly principal: Principal
  readonly answer: Pick<StoredResponse, 'id' | 'key' | 'owner'>
  readonly use: 'continue' | 'read' | 'delete' | 'cancel'
  /** The `x-request-id` of the request. */
  readonly requestId: string
  /** IP address of the socket's peer. */
  readonly address: string | undefined
}

/** Storage of responses. */
export interface ResponseOptions {
  /** Default: memory of this process. */
  readonly store?: ResponseStore
  /** Default: data is stored unencrypted. */
  readonly sealer?: Sealer
  /** Retention of translated responses in milliseconds; default 86,400,000. `false`: they are not stored. */
  readonly keepMs?: number | false
  /** Default 1,000 responses and 67,108,864 bytes. */
  readonly room?: Partial<ResponseQuota>
  /** Records a use before the response is used. If it rejects, the request fails. Default: uses are not recorded. */
  readonly audit?: (use: SharedUse) => Promise<void>
  /**
   * Handling of unknown ids of earlier responses, files, caches, containers and vector stores, in every format.
   * `refuse` (default) responds with 404. `allow` sends them to the provider: anyone who knows an id can then read what
   * other callers stored there. Known ids of another key are always a 404.
   */
  readonly foreignIds?: 'refuse' | 'allow'
}
