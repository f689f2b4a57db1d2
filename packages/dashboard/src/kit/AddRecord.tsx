import { ProblemNotice } from "./Problem.tsx"
import { type PickerOption, RecordPicker, type RecordPickerProps } from "./RecordPicker.tsx"
import { useAction } from "./useAction.ts"
import "./AddRecord.css"

export interface AddRecordProps<A, E> extends Pick<RecordPickerProps<A, E>, "label" | "hint" | "search" | "options"> {
  readonly add: (option: PickerOption) => Promise<void>
}

/** Below a list: the record that a person chooses is added to it. */
export const AddRecord = <A, E>({ add, ...picker }: AddRecordProps<A, E>) => {
  const { problem, run } = useAction(add)
  return (
    <div className="add-record">
      <RecordPicker {...picker} chosen="" onChoose={(option) => void run(option)} />
      {problem && <ProblemNotice problem={problem} />}
    </div>
  )
}
