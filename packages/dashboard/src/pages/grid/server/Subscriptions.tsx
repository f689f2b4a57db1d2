import type { callbackStates, ServedSubscription } from "@edp/domain/dashboard/OpenAdrServer"
import { useMessages } from "../../../i18n/useMessages.ts"
import { openAdrServerQuery } from "../../../resources/openadr.ts"
import { Age } from "../../../kit/Figure.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Table } from "../../../kit/Table.tsx"
import { Badge, Card, Empty, type State } from "../../../kit/components.tsx"

type Callback = ServedSubscription["callbacks"][number]

const badges: Readonly<Record<(typeof callbackStates)[number], State>> = {
  working: "good",
  failing: "warn",
  broken: "bad"
}

const CallbackLine = ({ callback }: { readonly callback: Callback }) => {
  const t = useMessages("openadr")
  const { host, lastError, objects, operations, since, state, waiting } = callback
  return (
    <li className="grid-name">
      <span>
        {host} <Badge state={badges[state]}>{t.callbackStates[state]}</Badge>
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
      {waiting > 0 && <span>{t.waiting({ count: waiting })}</span>}
      {state === "broken" && <span className="muted">{t.brokenHint}</span>}
    </li>
  )
}

/** The clients that are told of changes, and whether their callbacks accept them. */
export const Subscriptions = () => {
  const t = useMessages("openadr")
  return (
    <Loaded query={openAdrServerQuery}>
      {({ subscriptionCount, subscriptions }) => (
        <Card flush>
          <Table
            caption={t.subscriptionsCaption}
            rows={subscriptions}
            id={({ id }) => id}
            name={({ clientName }) => clientName}
            empty={
              <Empty icon="send" title={t.noSubscriptions}>
                {t.noSubscriptionsHint}
              </Empty>
            }
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
          <ListedOf shown={subscriptions.length} total={subscriptionCount} />
        </Card>
      )}
    </Loaded>
  )
}
