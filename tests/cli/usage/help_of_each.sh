for command in list fuzz bench gate compare build run baseline calibrate devices report init; do
    text=$(assay $command --help) || { echo "$command --help failed"; exit 1; }
    case $text in *$'\nexample'*"assay $command"*$'\noptions'*) ;; *) echo "$command --help has no example"; exit 1 ;; esac
    echo "$command"
done
