import { type RaisedAlert } from "@edp/server/alerts/alertOccurrences"
import { RaisedAlerts } from "@edp/server/alerts/RaisedAlerts"
import { type Settled } from "@edp/server/alerts/RaisedAlertsRepository"
import { Effect, Layer } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { outbox } from "../events/outbox.ts"

export const raisedAlerts = RaisedAlerts.layer.pipe(Layer.provide(outbox))

/** Raises and settles alerts as one instance of the service does. */
export const raising = (app: TestApp) => {
  const asked = <A, E>(ask: (alerts: RaisedAlerts["Service"]) => Effect.Effect<A, E>) =>
    app.run(Effect.provide(Effect.flatMap(RaisedAlerts, ask), raisedAlerts))
  return {
    raise: (alerts: ReadonlyArray<RaisedAlert>) => asked((service) => service.raise(alerts)),
    settle: (settled: ReadonlyArray<Settled>, by: string) => asked((service) => service.settle(settled, by))
  }
}
