import type { TestResult } from "@edp/domain/destinations/Delivery"
import type { DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { DestinationsClient } from "../../resources/destinations.ts"
import { Button } from "../../kit/Button.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { Facts, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"

const Result = ({ result }: { readonly result: TestResult }) => {
  const t = useMessages("destination")
  const language = useLanguage()
  return (
    <Notice state={result.succeeded ? "good" : "bad"} title={result.succeeded ? t.testGood : t.testBad} announced>
      <Facts
        items={[
          [t.status, result.statusCode],
          [t.duration, `${formatNumber(language, result.durationMs)}\u00a0ms`],
          [t.error, result.error]
        ]}
      />
      {result.responseBody && <Code text={result.responseBody} label={t.response} />}
    </Notice>
  )
}

const TestForm = ({ found, onClose }: { readonly found: DestinationOverview; readonly onClose: () => void }) => {
  const t = useMessages("destination")
  const kit = useMessages("kit")
  const call = useApi(DestinationsClient)
  const isForCommands = found.destinationType === "MANUFACTURER_COMMAND"
  const [type, setType] = useState<EventType>(found.eventTypes[0] ?? "COMMAND_SCHEDULED")
  const [result, setResult] = useState<TestResult>()
  const send = useAction(() => {
    setResult(undefined)
    return call(({ destinations }) => destinations.test({ params: { id: found.id }, query: {}, payload: { type } }))
  })
  return (
    <Form onSubmit={() => send.run().then(setResult)}>
      {!isForCommands && (
        <SelectField
          label={t.testType}
          value={type}
          options={eventTypes.map((value) => ({ value, label: value }))}
          onChange={setType}
        />
      )}
      {send.problem && <ProblemNotice problem={send.problem} />}
      {result && <Result result={result} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{kit.close}</Button>
        <Button tone="main" type="submit" icon="send" busy={send.busy}>
          {t.send}
        </Button>
      </div>
    </Form>
  )
}

interface TestDialogProps {
  readonly found: DestinationOverview
  readonly open: boolean
  readonly onClose: () => void
}

/** Sends a sample event and shows what the receiver returns. */
export const TestDialog = ({ found, open, onClose }: TestDialogProps) => {
  const t = useMessages("destination")
  return (
    <Dialog open={open} onClose={onClose} title={t.testTitle} description={t.testLead}>
      <TestForm found={found} onClose={onClose} />
    </Dialog>
  )
}
