import type { SubscriptionState } from "@edp/domain/openadr/OpenAdrSubscriptions"
import { useMessages } from "../../../i18n/useMessages.ts"
import { openAdrSubscriptionsQuery } from "../../../resources/openadr.ts"
import { Age } from "../../../kit/Figure.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge, type State } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/openadr")

type Callback = SubscriptionState["callbacks"][number]

const badges: Readonly<Record<Callback["status"], State>> = { HEALTHY: "good", FAILING: "warn", BROKEN: "bad" }

const CallbackLine = ({ callback }: { readonly callback: Callback }) => {
  const t = useMessages("openadr")
  const { brokenAt, failingSince, lastError, nextAttemptAt, objects, operations, pending, status, url } = callback
  const since = brokenAt ?? failingSince
  return (
    <li className="grid-name">
      <span>
        {new URL(url).host} <Badge state={badges[status]}>{t.callbackStates[status]}</Badge>
      </span>
      <span className="muted">
        {objects.join(", ")}: {operations.join(", ")}
      </span>
      {since !== null && (
        <span className="grid-error">
          {t.since} <Age time={since} />
          {lastError !== null && `: ${lastError}`}
        </span>
      )}
      {nextAttemptAt !== null && (
        <span className="muted">
          {t.nextAttempt} <Age time={nextAttemptAt} />
        </span>
      )}
      {pending > 0 && <span>{t.waiting({ count: pending })}</span>}
      {status === "BROKEN" && <span className="muted">{t.brokenHint}</span>}
    </li>
  )
}

/** The clients that are told of changes, and whether their callbacks accept them. */
export const Subscriptions = () => {
  const t = useMessages("openadr")
  const { page } = route.useSearch()
  const change = route.useChange()
  return (
    <RecordList
      caption={t.subscriptionsCaption}
      query={openAdrSubscriptionsQuery({ page })}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={({ id }) => id}
      name={({ clientName }) => clientName}
      none={{ icon: "send", title: t.noSubscriptions, hint: t.noSubscriptionsHint }}
      columns={[
        {
          id: "name",
          header: t.subscription,
          isName: true,
          cell: ({ clientName, venName }) => (
            <span className="grid-name">
              {clientName}
              {venName !== null && venName !== clientName && <span className="muted">{venName}</span>}
            </span>
          )
        },
        { id: "program", header: t.program, cell: ({ programName }) => programName ?? t.everyProgram },
        {
          id: "callbacks",
          header: t.callbacks,
          cell: ({ callbacks }) => (
            <ul className="grid-callbacks">
              {callbacks.map((callback, place) => (
                <CallbackLine key={place} callback={callback} />
              ))}
            </ul>
          )
        },
        { id: "created", header: t.created, isExtra: true, cell: ({ createdAt }) => <Age time={createdAt} /> }
      ]}
    />
  )
}
