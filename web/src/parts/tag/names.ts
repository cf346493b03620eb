/** "seeker", "hider"; with several of a role "hider 1", "hider 2". */
export function agentNames(roles: readonly string[]): string[] {
  return roles.map((role, index) => {
    const same = roles.filter((each) => each === role).length;
    return same === 1 ? role : `${role} ${roles.slice(0, index + 1).filter((each) => each === role).length}`;
  });
}
