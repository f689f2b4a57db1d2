import type { Delivery } from "@edp/domain/destinations/Delivery"
import { useApi } from "../../api/makeApi.ts"
import { storedEventQuery } from "../../resources/events.ts"
import { formatNumber, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { deliveryQuery, destinationChanged, DestinationsClient } from "../../resources/destinations.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age, toMillis } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Facts, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { deliveryStates } from "../../kit/states.ts"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { NextAttempt } from "./NextAttempt.tsx"

const Payload = ({ eventId }: { readonly eventId: string }) => {
  const t = useMessages("destination")
  const result = useAtomValue(storedEventQuery(eventId))
  if (result._tag === "Success") return <Code text={JSON.stringify(result.value, null, 2)} label={t.payload} />
  return result._tag === "Failure" ? <Notice state="plain">{t.payloadGone}</Notice> : null
}

const Attempts = ({ attempts }: Pick<Delivery, "attempts">) => {
  const t = useMessages("destination")
  const language = useLanguage()
  return (
    <Table
      caption={t.attemptsTitle}
      rows={attempts}
      id={(attempt) => attempt.attemptedAt}
      empty={<p className="muted">{t.noAttempts}</p>}
      columns={[
        {
          id: "time",
          header: t.time,
          isName: true,
          cell: ({ attemptedAt }) =>
            formatTime(language, toMillis(attemptedAt), { dateStyle: "medium", timeStyle: "long" })
        },
        { id: "status", header: t.status, cell: ({ statusCode }) => statusCode ?? "–" },
        {
          id: "duration",
          header: t.duration,
          align: "end",
          cell: ({ durationMs }) => `${formatNumber(language, durationMs)}\u00a0ms`
        },
        { id: "error", header: t.error, cell: ({ error }) => error ?? "–" },
        {
          id: "response",
          header: t.response,
          cell: ({ responseBody }) =>
            responseBody ? <code className="destination-response">{responseBody}</code> : "–"
        }
      ]}
    />
  )
}

interface DeliveryDetailsProps {
  readonly id: string
  /** The delivery of the address; undefined for none. */
  readonly deliveryId: string | undefined
  /** Commands are not delivered again, and neither is anything to a deactivated destination. */
  readonly canRedeliver: boolean
  readonly onClose: () => void
}

/** A delivery with its attempts and its payload. */
export const DeliveryDetails = ({ id, deliveryId, canRedeliver, onClose }: DeliveryDetailsProps) => {
  const t = useMessages("destination")
  const toast = useToast()
  const call = useApi(DestinationsClient)
  const redeliver = useAction((of: string) =>
    call(
      ({ destinations }) => destinations.redeliver({ params: { id, deliveryId: of }, query: {} }),
      destinationChanged(id)
    )
  )
  return (
    <Dialog open={deliveryId !== undefined} onClose={onClose} title={t.delivery} wide>
      {deliveryId !== undefined && (
        <Loaded query={deliveryQuery(id, deliveryId)}>
          {(delivery) => (
            <>
              <Facts
                items={[
                  [t.event, delivery.eventType],
                  [
                    t.status,
                    <Badge key="status" state={deliveryStates[delivery.status]}>
                      {t.statuses[delivery.status]}
                    </Badge>
                  ],
                  [t.created, <Age key="created" time={delivery.createdAt} />],
                  [t.next, <NextAttempt key="next" delivery={delivery} />]
                ]}
              />
              <div className="actions">
                {canRedeliver && (
                  <Button
                    icon="send"
                    busy={redeliver.busy}
                    onClick={() =>
                      void redeliver.run(delivery.id).then((done) => done !== undefined && toast.done(t.redelivered))
                    }
                  >
                    {t.redeliver}
                  </Button>
                )}
                <ButtonLink to="/dashboard/events" search={{ event: delivery.eventId }} icon="clock">
                  {t.openEvent}
                </ButtonLink>
              </div>
              {redeliver.problem && <ProblemNotice problem={redeliver.problem} />}
              <h3>{t.attemptsTitle}</h3>
              <Attempts attempts={delivery.attempts} />
              <h3>{t.payload}</h3>
              <Payload eventId={delivery.eventId} />
            </>
          )}
        </Loaded>
      )}
    </Dialog>
  )
}
