import { flag, oneOf, quantity } from "@edp/domain/shared/quantities"
import { Text } from "@edp/domain/shared/Text"
import { registerTypes } from "@edp/adapter-kit/decoding/registers"
import { Schema } from "effect"
import {
  about,
  commands,
  conversion,
  device,
  expectation,
  few,
  given,
  named,
  Scalar,
  threshold
} from "./templateParts.ts"

const optional = Schema.optionalKey

const Path = Text(1, 500).check(
  Schema.isPattern(/^\/[^?#\s\\]*$/, {
    message: "Must be a path that begins with /, without a query; {name} stands for an input"
  })
)
const HeaderName = Text(1, 100).check(
  Schema.isPattern(/^[A-Za-z0-9-]+$/, { message: "Must be the name of a header such as X-Api-Key" })
)
const JsonPath = Text(1, 200)
const RequestName = Text(1, 60)

const method = <const M extends ReadonlyArray<string>>(names: M) =>
  optional(oneOf(names, "Method of the request; GET by default"))

const headers = optional(
  Schema.Record(HeaderName, Text(0, 500)).annotate({ message: "Must be an object of headers" }).annotate({
    description: "Headers besides those of the login"
  })
)

/** A request that reads. It is sent once a round, however many fields it has. */
const ReadRequest = Schema.Struct({
  method: method(["GET", "POST"]),
  path: Path,
  query: optional(named(Scalar, "parameters of the query")),
  headers,
  form: optional(named(Scalar, "fields of a form").annotate({ description: "Body as a form" })),
  json: optional(named(Schema.Json, "fields of a JSON object").annotate({ description: "Body as JSON" })),
  optional: optional(flag("Whether some devices do not have it, and respond 404: its fields are absent"))
})
export type ReadRequest = typeof ReadRequest.Type

const place = { request: optional(RequestName), path: JsonPath }

const HttpField = Schema.Struct({
  request: optional(RequestName.annotate({ description: "Name of the request; may be left out if there is only one" })),
  path: optional(JsonPath.annotate({ description: 'Path into the response, such as a.b[0].c or a[?name=="x"].value' })),
  sum: optional(
    few(
      Schema.Struct({
        ...place,
        scale: optional(quantity("Factor of this part: -1 subtracts it")),
        optional: optional(flag("Whether some devices do not have it: the sum is then that of the other parts"))
      }),
      "paths"
    )
  ),
  hexadecimal: optional(
    oneOf(
      registerTypes,
      "Type of a number that is a text of hexadecimal digits, after a prefix such as fl_ if it has one"
    )
  ),
  threshold,
  ...conversion
}).check(
  Schema.makeFilter(({ path, sum }) => (path === undefined) !== (sum === undefined), {
    message: "Must have either path or sum"
  }),
  Schema.makeFilter(({ hexadecimal, path }) => hexadecimal === undefined || path !== undefined, {
    message: "Must have a path for hexadecimal"
  })
)
export type HttpField = typeof HttpField.Type

/** A value of a command. `confirm` is where the device shows it. */
const SentValue = Schema.Struct({
  ...given,
  confirm: optional(
    Schema.Struct(place).annotate({
      description: "Where a response shows the value as it was sent: by it the command is confirmed and restored"
    })
  )
})
export type SentValue = typeof SentValue.Type

/** A request of a command. */
const Step = Schema.Struct({
  method: method(["GET", "POST", "PUT", "PATCH"]),
  path: Path,
  headers,
  segments: optional(named(SentValue, "values of the path").annotate({ description: "Values for {name} in the path" })),
  query: optional(named(SentValue, "values of the query")),
  form: optional(named(SentValue, "values of a form")),
  json: optional(few(Schema.Struct({ at: JsonPath, ...SentValue.fields }), "values of a JSON object")),
  when: optional(
    few(Text(1, 60), "operating modes").annotate({
      description: "The operating modes with which the request is sent; with all by default"
    })
  )
})
export type Step = typeof Step.Type

const HttpDevice = Schema.Struct({
  ...device,
  fields: named(HttpField, "fields"),
  static: optional(named(HttpField, "static fields")),
  commands: commands(few(Step, "requests"))
})
export type HttpDevice = typeof HttpDevice.Type

const authenticationKinds = ["none", "basic", "digest", "bearer", "header", "login"] as const

/** How the device knows who asks. The form asks for what is secret. */
const Authentication = Schema.Struct({
  kind: oneOf(authenticationKinds, "Kind of login"),
  username: optional(
    Text(1, 100).annotate({ description: "A user name that all such devices have; else the form asks" })
  ),
  optional: optional(flag("Whether devices can be set up without a login")),
  header: optional(HeaderName.annotate({ description: "The header with the token; Authorization by default" })),
  prefix: optional(Text(0, 50).annotate({ description: "Text before the token in the header" })),
  request: optional(ReadRequest.annotate({ description: "The request of a login, with {username} and {password}" })),
  token: optional(JsonPath.annotate({ description: "Path of the token in the response of a login" })),
  cookie: optional(Text(1, 100).annotate({ description: "Name of the cookie in the response of a login" }))
})
export type Authentication = typeof Authentication.Type

const Label = Schema.Struct({ en: Text(1, 200), es: Text(1, 200) })

/** A value that the form asks for, and that `{name}` stands for in paths, queries, headers and bodies. */
const Input = Schema.Struct({
  label: Label,
  help: optional(Label),
  initial: optional(Text(1, 200)),
  secret: optional(flag("Whether it is a password"))
})
export type Input = typeof Input.Type

const HttpFixture = Schema.Struct({
  shape: Text(1, 500),
  responses: named(Schema.Json, "responses by the names of the requests"),
  serialNumber: optional(Text(1, 100)),
  inputs: optional(named(Text(1, 200), "inputs").annotate({ description: "What a person enters" })),
  sends: optional(
    Schema.Array(
      Schema.Struct({
        device: Text(1, 60),
        command: Text(1, 100),
        input: named(Scalar, "inputs"),
        requests: few(Text(1, 1000), "requests").annotate({
          description: "Method, path with query, and body, one text for each request"
        })
      })
    ).annotate({ message: "Must be a list of commands with their requests" })
  ),
  ...expectation
})

export const HttpTemplate = Schema.Struct({
  ...about,
  protocol: Schema.Literal("http"),
  port: optional(quantity("Port; 80 by default, 443 with TLS", { integer: true, minimum: 1, maximum: 65_535 })),
  tls: optional(oneOf(["optional", "required"], "Whether the device has TLS; it has none by default")),
  interval: optional(quantity("Seconds between two readings, at least", { integer: true, minimum: 5, maximum: 3600 })),
  authentication: optional(Authentication),
  inputs: optional(named(Input, "inputs")),
  requests: named(ReadRequest, "requests"),
  serialNumber: optional(
    Schema.Struct(place).annotate({
      description: "Identifies the device wherever its address moves; without it the address does"
    })
  ),
  devices: few(HttpDevice, "devices"),
  fixture: HttpFixture
})
export type HttpTemplate = typeof HttpTemplate.Type
