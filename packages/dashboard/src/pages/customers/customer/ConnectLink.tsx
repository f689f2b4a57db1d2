import type { Customer } from "@edp/domain/customers/Customer"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { connectionsChanged, ConnectionsClient } from "../../../resources/connections.ts"
import { allCustomerSitesQuery } from "../../../resources/sites.ts"
import { Button } from "../../../kit/Button.tsx"
import { Code } from "../../../kit/Copy.tsx"
import { Dialog } from "../../../kit/Dialog.tsx"
import { DialogForm } from "../../../kit/DialogForm.tsx"
import { SelectField } from "../../../kit/Field.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { addressLine, customerName, siteName } from "../../../kit/names.ts"
import { Notice } from "../../../kit/components.tsx"
import { useAction } from "../../../kit/useAction.ts"

interface ConnectLinkProps {
  readonly customer: Customer
  readonly open: boolean
  readonly onClose: () => void
}

const SiteChoice = ({ customer, value, onChange }: ChoiceProps) => {
  const t = useMessages("customers")
  return (
    <Loaded query={allCustomerSitesQuery(customer.id)}>
      {({ data, totalItems }) => (
        <>
          <SelectField
            label={t.connectSite}
            value={value}
            options={[
              { value: "", label: t.newestSite },
              ...data.map((site) => ({ value: site.id, label: `${siteName(site)}: ${addressLine(site.address)}` }))
            ]}
            onChange={onChange}
          />
          <ListedOf shown={data.length} total={totalItems} />
        </>
      )}
    </Loaded>
  )
}

interface ChoiceProps {
  readonly customer: Customer
  readonly value: string
  readonly onChange: (siteId: string) => void
}

const Content = ({ customer, onClose }: Omit<ConnectLinkProps, "open">) => {
  const t = useMessages("customers")
  const kit = useMessages("kit")
  const language = useLanguage()
  const call = useApi(ConnectionsClient)
  const [siteId, setSiteId] = useState("")
  const [link, setLink] = useState<{ readonly url: string; readonly expiresAt: string }>()
  const create = useAction(async () => {
    const payload = {
      customerId: customer.id,
      language,
      ...(customer.referenceId !== null && { referenceId: customer.referenceId }),
      ...(siteId !== "" && { siteId })
    }
    setLink(await call((client) => client.connections.create({ payload }), connectionsChanged))
  })
  if (link !== undefined) {
    return (
      <div className="stack">
        <Notice state="good" announced>
          {t.linkReady}
        </Notice>
        <Code label={t.link} text={link.url} />
        <p className="muted">
          {t.expires} <Age time={link.expiresAt} /> · <Link to="/dashboard/connections">{t.sessions}</Link>
        </p>
        <div className="dialog-actions">
          <a className="button" href={link.url} target="_blank" rel="noopener">
            {t.openLink}
          </a>
          <Button tone="main" onClick={onClose}>
            {kit.close}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <DialogForm act={create} action={t.makeLink} onSubmit={() => create.run()} onCancel={onClose}>
      <p>{t.connectLead}</p>
      <SiteChoice customer={customer} value={siteId} onChange={setSiteId} />
    </DialogForm>
  )
}

/** Creates a connect session for a customer and shows its link once. */
export const ConnectLink = ({ customer, open, onClose }: ConnectLinkProps) => {
  const t = useMessages("customers")
  return (
    <Dialog open={open} onClose={onClose} title={t.connectTitle({ name: customerName(customer) })}>
      <Content customer={customer} onClose={onClose} />
    </Dialog>
  )
}
