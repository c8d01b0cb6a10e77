import type { Json, Loss, Usage } from '@headgate/core/canonical'
import type { EmbeddingsWire, EmbeddingUse, Vector } from '@headgate/core/contract'

/** What a caller asks for, whatever its wire. */
export interface Asked {
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions?: number
  readonly use?: EmbeddingUse
  readonly encoding: 'float' | 'base64'
  /** What of the body has no place here: lost where it is translated. */
  readonly losses: readonly Loss[]
}

/** What is answered. */
export interface Answered {
  readonly vectors: readonly Vector[]
  readonly model: string
  readonly usage?: Usage | undefined
}

/** A wire of callers, both ways. */
export interface Wire {
  readonly id: EmbeddingsWire
  /** @throws HeadgateError that names the field. */
  read(body: Json): Asked
  write(answer: Answered, asked: Asked): Json
  /** What of a whole answer that passes accounting needs; undefined = it is no such answer. */
  tally(
    body: Json,
  ): { readonly usage?: Usage; readonly model?: string; readonly vectors: readonly unknown[] } | undefined
  /** How many inputs a body has, whatever else of it is wrong. */
  count(body: Json): number
  /** Where the body names its model, for one that is called otherwise upstream. */
  modelPaths(body: Json): readonly (readonly (string | number)[])[]
  /** The model as this wire writes it. */
  modelName(model: string): string
  /**
   * Where callers say what vectors are for, and how that is read, where the vendor of the wire does not know such a
   * field.
   */
  readonly uses?: { readonly field: string; read(value: unknown): EmbeddingUse | undefined }
}
