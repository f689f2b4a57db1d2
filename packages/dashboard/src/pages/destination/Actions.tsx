import type { DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { destinationChanged, destinationsChanged, DestinationsClient } from "../../resources/destinations.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import { SecretDialog } from "../../kit/SecretDialog.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { destinationName } from "./destinationState.ts"
import { ReplayDialog } from "./ReplayDialog.tsx"
import { TestDialog } from "./TestDialog.tsx"

type Asked = "test" | "replay" | "rotate" | "deactivate" | "remove"

/** The actions on a destination, with their dialogs. */
export const Actions = ({ found }: { readonly found: DestinationOverview }) => {
  const t = useMessages("destination")
  const toast = useToast()
  const explain = useProblemText()
  const navigate = useNavigate()
  const call = useApi(DestinationsClient)
  const [asked, setAsked] = useState<Asked>()
  const [secret, setSecret] = useState<{ readonly text: string; readonly isNew: boolean }>()
  const { id } = found
  const named = { params: { id }, query: {} }
  const isActive = found.deactivatedAt === null
  const isRepeatable = isActive && found.destinationType !== "MANUFACTURER_COMMAND"
  const close = () => setAsked(undefined)

  const show = useAction(() => call(({ destinations }) => destinations.get(named)))
  const activate = useAction(() => call(({ destinations }) => destinations.activate(named), destinationChanged(id)))

  const showSecret = async () => {
    const response = await show.run()
    if (response?.secret) setSecret({ text: response.secret, isNew: false })
  }
  const problem = show.problem ?? activate.problem
  return (
    <>
      <Button icon="send" onClick={() => setAsked("test")}>
        {t.test}
      </Button>
      <ButtonLink to="/dashboard/destinations" search={{ edit: id, back: "detail" }} icon="pen">
        {t.edit}
      </ButtonLink>
      {!isActive && (
        <Button
          tone="main"
          busy={activate.busy}
          onClick={() => void activate.run().then((done) => done && toast.done(t.activatedDone))}
        >
          {t.activate}
        </Button>
      )}
      <Menu
        trigger={
          <button type="button" className="button" aria-busy={show.busy}>
            {t.more}
          </button>
        }
        items={[
          ...(isRepeatable ? [{ id: "replay", label: t.replay, onSelect: () => setAsked("replay") }] : []),
          ...(found.isSigned
            ? [
                { id: "secret", label: t.showSecret, onSelect: () => void showSecret() },
                { id: "rotate", label: t.rotate, onSelect: () => setAsked("rotate") }
              ]
            : []),
          ...(isActive ? [{ id: "deactivate", label: t.deactivate, onSelect: () => setAsked("deactivate") }] : []),
          { id: "remove", label: t.remove, danger: true, onSelect: () => setAsked("remove") }
        ]}
      />
      {problem && <p role="alert">{explain(problem)}</p>}
      <TestDialog found={found} open={asked === "test"} onClose={close} />
      <ReplayDialog id={id} open={asked === "replay"} onClose={close} />
      <ConfirmDialog
        open={asked === "rotate"}
        onClose={close}
        title={t.rotateTitle}
        action={t.rotate}
        tone="main"
        act={async () => {
          const response = await call(({ destinations }) => destinations.rotateSecret(named), destinationChanged(id))
          if (response.secret !== null) setSecret({ text: response.secret, isNew: true })
        }}
      >
        {t.rotateLead}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === "deactivate"}
        onClose={close}
        title={t.deactivateTitle}
        action={t.deactivate}
        act={async () => {
          await call(
            ({ destinationOverviews }) => destinationOverviews.deactivate({ params: { id } }),
            destinationChanged(id)
          )
          toast.done(t.deactivatedDone)
        }}
      >
        {t.deactivateLead}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === "remove"}
        onClose={close}
        title={t.removeTitle}
        name={destinationName(found)}
        action={t.removeAction}
        act={async () => {
          // The queries of this page are left alone: they would not find the destination any more.
          await call(({ destinations }) => destinations.remove(named), destinationsChanged)
          toast.done(t.removed)
          await navigate({ to: "/dashboard/destinations", replace: true })
        }}
      >
        {t.removeLead}
      </ConfirmDialog>
      <SecretDialog
        secret={secret?.text}
        title={secret?.isNew ? t.rotatedTitle : t.secretTitle}
        onClose={() => setSecret(undefined)}
      >
        {secret?.isNew ? t.rotatedLead : t.secretLead}
      </SecretDialog>
    </>
  )
}
