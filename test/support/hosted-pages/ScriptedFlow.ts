import type { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import type { ConnectFlow, FlowResult } from "@edp/server/connections/flow/ConnectFlow"
import type { Visitor } from "@edp/server/platform/pages/visitors"
import { Effect } from "effect"

type Flow = ConnectFlow["Service"]

export interface FlowCall {
  readonly method: string
  readonly token: string | undefined
  readonly visitor: Visitor
  readonly argument: unknown
}

/** A flow that responds as a test says, and remembers what it was asked. */
export class ScriptedFlow {
  readonly calls: Array<FlowCall> = []
  respond: (call: FlowCall) => Effect.Effect<FlowResult, DatabaseUnavailable>

  constructor(respond: (call: FlowCall) => Effect.Effect<FlowResult, DatabaseUnavailable>) {
    this.respond = respond
  }

  private readonly ask = (method: string, token: string | undefined, visitor: Visitor, argument: unknown) =>
    Effect.suspend(() => {
      const call = { method, token, visitor, argument }
      this.calls.push(call)
      return this.respond(call)
    })

  readonly flow: Flow = {
    open: (token, visitor) => this.ask("open", token, visitor, undefined),
    submitCustomer: (token, visitor, form) => this.ask("submitCustomer", token, visitor, form),
    searchManufacturers: (token, visitor, query) => this.ask("searchManufacturers", token, visitor, query),
    chooseManufacturer: (token, visitor, slug) => this.ask("chooseManufacturer", token, visitor, slug),
    chooseAnother: (token, visitor) => this.ask("chooseAnother", token, visitor, undefined),
    consent: (token, visitor, granted) => this.ask("consent", token, visitor, granted),
    submitForm: (token, visitor, values) => this.ask("submitForm", token, visitor, values),
    callback: (visitor, parameters) => this.ask("callback", undefined, visitor, parameters),
    chooseDevices: (token, visitor, choice) => this.ask("chooseDevices", token, visitor, choice),
    leave: (token, visitor) => this.ask("leave", token, visitor, undefined),
    retry: (token, visitor) => this.ask("retry", token, visitor, undefined),
    cancel: (token, visitor) => this.ask("cancel", token, visitor, undefined)
  }
}
