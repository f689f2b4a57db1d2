import { type Cause, Effect, ErrorReporter, Schema } from "effect"
import { HttpServerRespondable, HttpServerResponse } from "effect/http"
import { type ErrorCode, errorCodes } from "./ErrorCode.ts"

export const SENTENCE_MAX_LENGTH = 2000

const keywords = { maxLength: SENTENCE_MAX_LENGTH, pattern: "^[^\\x00]*$" }

/** A message for users. Its wording may change, so only its maximum length is documented, and nothing is checked. */
export const Sentence = Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => [keywords, true] }))

type WireFields<Code extends string> = {
  readonly code: Schema.tag<Code>
  readonly message: Schema.withConstructorDefault<Schema.String>
}

const wireFields = <const Code extends string>(code: Code, message: string): WireFields<Code> => ({
  code: Schema.tag(code).annotate({ description: "Machine readable and stable" }) as Schema.tag<Code>,
  message: Sentence.annotate({
    description: "Shown to users. The wording may change: do not use it for control flow"
  }).pipe(Schema.withConstructorDefault(Effect.succeed(message)))
})

/**
 * Declares the class of one error code. On the wire it is `{code, message, ...fields}`. The tag for `Effect.catchTag` is the
 * code; it is on the prototype and is never sent.
 */
export const ApiError =
  <Self = never>() =>
  <const Code extends ErrorCode, const Fields extends Schema.Struct.Fields = {}>(
    code: Code,
    message: string,
    fields?: Fields
  ): [Self] extends [never]
    ? "Missing Self generic"
    : Schema.Class<
        Self,
        Schema.Struct<WireFields<Code> & Fields>,
        Cause.YieldableError & HttpServerRespondable.Respondable & { readonly _tag: Code }
      > => {
    const { status } = errorCodes[code]
    // The identifier is on the struct: on the class it would name only the encoded side.
    const struct = Schema.Struct({ ...wireFields(code, message), ...fields }).annotate({
      identifier: code,
      description: message
    })
    const encode = Schema.encodeUnknownEffect(struct as Schema.Codec<unknown, unknown>)
    const Base = Schema.Error<any, {}>(code)(struct, { description: message, httpApiStatus: status } as never)
    Object.assign(Base.prototype, {
      _tag: code,
      [ErrorReporter.ignore]: status < 500,
      [HttpServerRespondable.symbol](this: object) {
        return Effect.map(encode(this), (body) => HttpServerResponse.jsonUnsafe(body, { status }))
      }
    })
    return Base as any
  }
