import { deviceGroups } from "@edp/domain/destinations/Destination"
import { eventTypes } from "@edp/domain/events/EventType"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { CheckField, FieldGroup, SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { type DestinationForm, hasUrl } from "./destinationForm.ts"

export interface FieldsProps {
  readonly form: DestinationForm
  readonly change: (fields: Partial<DestinationForm>) => void
  /** Why a field is refused, by the page and by the service. */
  readonly reasons: (field: keyof DestinationForm) => {
    readonly problem: string | undefined
    readonly invalid: string | undefined
  }
  /** A new destination; else a stored one. */
  readonly isNew: boolean
}

const UrlFields = ({ form, change, reasons, isNew }: FieldsProps) => {
  const t = useMessages("destinations")
  return (
    <>
      <TextField
        label={t.url}
        hint={t.urlHint}
        type="url"
        inputMode="url"
        value={form.url}
        {...reasons("url")}
        required
        onChange={(url) => change({ url })}
      />
      {form.type === "MANUFACTURER_COMMAND" && isNew && (
        <TextField
          label={t.manufacturer}
          hint={t.manufacturerHint}
          value={form.manufacturer}
          {...reasons("manufacturer")}
          required
          onChange={(manufacturer) => change({ manufacturer })}
        />
      )}
      <TextAreaField
        label={t.headers}
        hint={t.headersHint}
        rows={2}
        value={form.headers}
        {...reasons("headers")}
        onChange={(headers) => change({ headers })}
      />
      {isNew && (
        <TextField
          label={t.secret}
          hint={t.secretHint}
          value={form.secret}
          {...reasons("secret")}
          onChange={(secret) => change({ secret })}
        />
      )}
    </>
  )
}

const KafkaFields = ({ form, change, reasons, isNew }: FieldsProps) => {
  const t = useMessages("destinations")
  return (
    <>
      <TextAreaField
        label={t.brokers}
        hint={t.brokersHint}
        rows={2}
        value={form.brokers}
        {...reasons("brokers")}
        required
        onChange={(brokers) => change({ brokers })}
      />
      <TextField
        label={t.topic}
        value={form.topic}
        {...reasons("topic")}
        required
        onChange={(topic) => change({ topic })}
      />
      <TextField
        label={t.clientId}
        hint={t.clientIdHint}
        value={form.clientId}
        {...reasons("clientId")}
        onChange={(clientId) => change({ clientId })}
      />
      <CheckField label={t.ssl} checked={form.ssl} onChange={(ssl) => change({ ssl })} />
      <SelectField
        label={t.mechanism}
        value={form.mechanism}
        options={[
          { value: "none", label: t.noAuthentication },
          { value: "plain", label: "PLAIN" },
          { value: "scram-sha-256", label: "SCRAM-SHA-256" },
          { value: "scram-sha-512", label: "SCRAM-SHA-512" }
        ]}
        onChange={(mechanism) => change({ mechanism })}
      />
      {form.mechanism !== "none" && (
        <>
          <TextField
            label={t.username}
            value={form.username}
            {...reasons("username")}
            required
            onChange={(username) => change({ username })}
          />
          <TextField
            label={t.password}
            {...(!isNew && { hint: t.passwordKept })}
            type="password"
            autoComplete="new-password"
            value={form.password}
            {...reasons("password")}
            required
            onChange={(password) => change({ password })}
          />
        </>
      )}
    </>
  )
}

const EventFields = ({ form, change, reasons }: FieldsProps) => {
  const t = useMessages("destinations")
  return (
    <>
      <FieldGroup label={t.eventTypes} {...reasons("eventTypes")} required>
        <div className="actions">
          <Button small tone="quiet" onClick={() => change({ eventTypes: [...eventTypes] })}>
            {t.selectAll}
          </Button>
          <Button small tone="quiet" onClick={() => change({ eventTypes: [] })}>
            {t.selectNone}
          </Button>
        </div>
        <div className="destinations-types">
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={type}
              checked={form.eventTypes.includes(type)}
              onChange={(checked) =>
                change({
                  eventTypes: checked ? [...form.eventTypes, type] : form.eventTypes.filter((each) => each !== type)
                })
              }
            />
          ))}
        </div>
      </FieldGroup>
      <SelectField
        label={t.deviceType}
        hint={t.deviceTypeHint}
        value={form.deviceType}
        options={deviceGroups.map((value) => ({ value, label: t.groups[value] }))}
        onChange={(deviceType) => change({ deviceType })}
      />
      <CheckField
        label={t.includeWeather}
        checked={form.includeWeather}
        onChange={(includeWeather) => change({ includeWeather })}
      />
    </>
  )
}

/** The controls of a destination's form: those of its kind, then those of the events that it gets. */
export const DestinationFields = (props: FieldsProps) => {
  const { form, change, reasons } = props
  const t = useMessages("destinations")
  return (
    <>
      <TextField
        label={t.label}
        hint={t.labelHint}
        value={form.label}
        {...reasons("label")}
        onChange={(label) => change({ label })}
      />
      {hasUrl(form.type) && <UrlFields {...props} />}
      {form.type === "EMAIL" && (
        <TextField
          label={t.email}
          type="email"
          inputMode="email"
          value={form.email}
          {...reasons("email")}
          required
          onChange={(email) => change({ email })}
        />
      )}
      {form.type === "SMS" && (
        <TextField
          label={t.phoneNumber}
          hint={t.phoneHint}
          type="tel"
          inputMode="tel"
          value={form.phoneNumber}
          {...reasons("phoneNumber")}
          required
          onChange={(phoneNumber) => change({ phoneNumber })}
        />
      )}
      {form.type === "KAFKA" && <KafkaFields {...props} />}
      {form.type !== "MANUFACTURER_COMMAND" && <EventFields {...props} />}
    </>
  )
}
