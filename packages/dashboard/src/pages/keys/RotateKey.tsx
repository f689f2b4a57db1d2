import type { ApiKey, CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import { useEffect, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { apiKeyQuery, apiKeysChanged, ApiKeysClient } from "../../resources/apiKeys.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { TextField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Facts, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useAtomRefresh, useAtomValue } from "../../state/atoms.ts"
import { NewKey } from "./NewKey.tsx"

/** How often the use of the replacement is looked up. */
const LOOKED_UP_EVERY_MS = 5000

const replacementFor = (key: ApiKey): CreateApiKey => ({
  name: key.name,
  type: key.type as CreateApiKey["type"],
  workspaceId: key.workspaceId,
  ownerId: key.ownerId,
  expiresAt: key.expiresAt,
  rateLimits: key.rateLimits,
  ...(key.manufacturerScope && { manufacturerScope: key.manufacturerScope })
})

/** The last use of a key, looked up while it is shown. */
const LastUse = ({ id, children }: { readonly id: string; readonly children: (key: ApiKey) => React.ReactNode }) => {
  const query = apiKeyQuery(id)
  const refresh = useAtomRefresh(query)
  useEffect(() => {
    const timer = setInterval(refresh, LOOKED_UP_EVERY_MS)
    return () => clearInterval(timer)
  }, [refresh])
  return <Loaded query={query}>{(key) => children(key)}</Loaded>
}

interface RevokeOldProps {
  readonly apiKey: ApiKey
  readonly replacementId: string
  readonly onClose: () => void
}

const RevokeOld = ({ apiKey, replacementId, onClose }: RevokeOldProps) => {
  const t = useMessages("keys")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(ApiKeysClient)
  const isOwn = useAtomValue(sessionAtom)?.key.id === apiKey.id
  const [typed, setTyped] = useState("")
  const revoke = useAction(async () => {
    await call(
      (client) => client.apiKeys.revoke({ params: { id: apiKey.id }, payload: { made: "keep" } }),
      apiKeysChanged
    )
    toast.done(t.rotated)
    onClose()
  })
  return (
    <Form onSubmit={() => revoke.run()}>
      <LastUse id={replacementId}>
        {({ lastUsedAt }) =>
          lastUsedAt === null ? (
            <Notice state="warn">{t.waiting}</Notice>
          ) : (
            <Notice state="good">
              {t.used}: <Age time={lastUsedAt} live />
            </Notice>
          )
        }
      </LastUse>
      <LastUse id={apiKey.id}>
        {({ lastUsedAt }) => <Facts items={[[t.oldUsed, <Age key="used" time={lastUsedAt} live />]]} />}
      </LastUse>
      {isOwn && <Notice state="warn">{t.revokeOwn}</Notice>}
      <TextField
        label={kit.typeName({ name: apiKey.name })}
        value={typed}
        onChange={setTyped}
        invalid={typed.trim() === apiKey.name.trim() ? undefined : kit.nameDiffers}
        required
      />
      {revoke.problem && <ProblemNotice problem={revoke.problem} />}
      <div className="dialog-actions">
        <Button
          onClick={() => {
            toast.done(t.keptBoth)
            onClose()
          }}
        >
          {t.keepBoth}
        </Button>
        <Button tone="danger" type="submit" busy={revoke.busy}>
          {t.revokeOld}
        </Button>
      </div>
    </Form>
  )
}

/** Gives the key of an OpenADR client a new secret. Its id is the client_id, so that it can't be replaced by another key. */
export const RotateSecret = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useMessages("keys")
  const call = useApi(ApiKeysClient)
  const [secret, setSecret] = useState<string>()
  const rotate = useAction(async () => {
    const { key } = await call(
      (client) => client.apiKeys.rotate({ params: { id: apiKey.id }, payload: {} }),
      apiKeysChanged
    )
    setSecret(key)
  })
  return (
    <Dialog
      open
      required={secret !== undefined}
      onClose={onClose}
      title={t.rotateTitle({ name: apiKey.name })}
      description={t.rotateSecretLead}
    >
      <div className="stack">
        {secret !== undefined && <NewKey value={secret} lead={t.rotateSecretDeploy} />}
        {rotate.problem && <ProblemNotice problem={rotate.problem} />}
        <div className="dialog-actions">
          {secret === undefined ? (
            <>
              <Button onClick={onClose}>{t.cancel}</Button>
              <Button tone="main" busy={rotate.busy} onClick={() => void rotate.run()}>
                {t.rotateSecretCreate}
              </Button>
            </>
          ) : (
            <Button tone="main" onClick={onClose}>
              {t.stored}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** Replaces a key without downtime: creates the replacement, waits for its deployment, then revokes the old key. */
export const RotateKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useMessages("keys")
  const call = useApi(ApiKeysClient)
  const [made, setMade] = useState<{ readonly id: string; readonly value: string }>()
  const create = useAction(async () => {
    const payload = replacementFor(apiKey)
    const { id, key } = await call((client) => client.apiKeys.create({ payload }), apiKeysChanged)
    setMade({ id, value: key })
  })
  return (
    <Dialog
      open
      required={made !== undefined}
      onClose={onClose}
      title={t.rotateTitle({ name: apiKey.name })}
      description={t.rotateStep({ step: made === undefined ? 1 : 2 })}
    >
      {made === undefined && (
        <div className="stack">
          <p>{t.rotateLead}</p>
          {create.problem && <ProblemNotice problem={create.problem} />}
          <div className="dialog-actions">
            <Button onClick={onClose}>{t.cancel}</Button>
            <Button tone="main" busy={create.busy} onClick={() => void create.run()}>
              {t.rotateCreate}
            </Button>
          </div>
        </div>
      )}
      {made !== undefined && (
        <div className="stack">
          <NewKey value={made.value} lead={t.deploy} />
          <RevokeOld apiKey={apiKey} replacementId={made.id} onClose={onClose} />
        </div>
      )}
    </Dialog>
  )
}
