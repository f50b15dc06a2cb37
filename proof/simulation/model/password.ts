/** The password of the account, as far as the answers to its clients tell. */
export interface PasswordModel {
  /** A setup with this password begins. `accepted` is `undefined` without an answer. */
  settingUp(password: string): (accepted: boolean | undefined) => void;
  /** A change begins. Each new password is used once. */
  changing(from: string, to: string): (accepted: boolean | undefined) => void;
  /** The passwords that may be current. */
  possible(): readonly string[];
  /** Returns whether an accepted change has replaced this password already. */
  isReplaced(password: string): boolean;
}

interface Change {
  readonly from: string;
  readonly to: string;
  isAccepted: boolean;
}

export function createPasswordModel(): PasswordModel {
  let first = new Set<string>();
  const changes = new Set<Change>();

  const isReplaced = (password: string): boolean =>
    [...changes].some(({ from, isAccepted }) => from === password && isAccepted);

  function reachable(password: string): readonly string[] {
    const next = [...changes].filter(({ from }) => from === password);
    const accepted = next.find(({ isAccepted }) => isAccepted);
    if (accepted !== undefined) return reachable(accepted.to);
    return [password, ...next.flatMap(({ to }) => reachable(to))];
  }

  return {
    settingUp(password) {
      first.add(password);
      return (accepted) => {
        if (accepted === true) first = new Set([password]);
        if (accepted === false) first.delete(password);
      };
    },

    changing(from, to) {
      const change: Change = { from, to, isAccepted: false };
      changes.add(change);
      return (accepted) => {
        if (accepted === true) change.isAccepted = true;
        if (accepted === false) changes.delete(change);
      };
    },

    possible: () => [...first].flatMap(reachable),
    isReplaced,
  };
}
